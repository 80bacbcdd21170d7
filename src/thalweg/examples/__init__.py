"""Programs and facts that come with the package."""
