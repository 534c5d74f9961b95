"""The binding's own folder in a root: lock, journal and caches; never memory."""

OWN_FOLDER = ".assay"
