"""Makes the OpenAPI documents of the operations and of the admin API."""
