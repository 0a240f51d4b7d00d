"""The catalog: everything a library holds, in SQL; the source of all derived data."""
