"""HAR 1.2, as browsers record what they have asked, becomes a fixture."""
