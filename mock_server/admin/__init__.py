"""The admin API under `/__admin`, behind one guard; its errors have the plain form."""
