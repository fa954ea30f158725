"""PostgreSQL clusters with Citus: distribute the tables by space, and run statements on shards.

Loaded only for a database that has the extension.
"""
