-- Vector search inside the database. This file runs once, as soon as the extension `vector` is installed,
-- with the schema of the extension in the search path. The tables here are derived from `vectors`.

-- Unpack a stored vector: four bytes of scale, then a signed byte per dimension. The scale is ignored,
-- because it does not change the cosine.
CREATE FUNCTION unpacked(stored bytea) RETURNS halfvec
IMMUTABLE STRICT PARALLEL SAFE LANGUAGE sql
RETURN CAST(ARRAY(
  SELECT (get_byte(stored, place) # 128) - 128
  FROM generate_series(4, length(stored) - 1) AS place ORDER BY place) AS halfvec);

CREATE TABLE vector_index (
  space    TEXT COLLATE "C" NOT NULL,
  embedder BIGINT NOT NULL,
  seq      BIGINT NOT NULL,
  partition    BIGINT NOT NULL,
  vector   HALFVEC NOT NULL,
  PRIMARY KEY (space, embedder, seq)
);

-- Index the stored vectors of all spaces. For this the owner may read them.
ALTER TABLE vectors NO FORCE ROW LEVEL SECURITY;
ALTER TABLE embedders NO FORCE ROW LEVEL SECURITY;
INSERT INTO vector_index
SELECT space, embedder, seq, partition, unpacked(vector) FROM vectors WHERE vector IS NOT NULL;
SELECT index_dimensions(each.dimensions) FROM (SELECT DISTINCT dimensions FROM embedders) AS each;
ALTER TABLE vectors FORCE ROW LEVEL SECURITY;
ALTER TABLE embedders FORCE ROW LEVEL SECURITY;

CREATE INDEX vector_index_by_partition ON vector_index (space, embedder, partition);
SELECT guard('vector_index');

-- In a distributed database it runs on the server of the space, whose own plans must know the space.
CREATE FUNCTION follow_vectors() RETURNS trigger
SET search_path FROM CURRENT SET plan_cache_mode = auto LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    DELETE FROM vector_index AS i
    WHERE i.space = OLD.space AND i.embedder = OLD.embedder AND i.seq = OLD.seq;
  END IF;
  IF TG_OP <> 'DELETE' AND NEW.vector IS NOT NULL THEN
    INSERT INTO vector_index (space, embedder, seq, partition, vector)
    VALUES (NEW.space, NEW.embedder, NEW.seq, NEW.partition, unpacked(NEW.vector));
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER vectors_are_followed AFTER INSERT OR UPDATE OR DELETE ON vectors
  FOR EACH ROW EXECUTE FUNCTION follow_vectors();

-- Return the `most` vectors nearest to a query in some partitions, which have about `visible` passages, nearest
-- first. An exact comparison takes about 0.4 microseconds for each vector. The HNSW index takes 3,000, and
-- 10 more for each vector that it visits, most of which may be in other partitions. The method with the lower
-- expected cost is used. If the index returns too few vectors, all are compared.
CREATE FUNCTION nearest(
  given_space text, given_embedder bigint, partitions bigint[], question text, most bigint, visible bigint)
RETURNS TABLE (seq bigint, vector bytea)
ROWS 100 LANGUAGE plpgsql SET search_path FROM CURRENT
SET enable_sort = on SET max_parallel_workers_per_gather = 0 SET jit = off AS $$
DECLARE
  -- This loads the library. Before that, only a superuser may set the parameters of the index.
  asked halfvec := question;
  held float8 := (SELECT greatest(c.reltuples, visible) FROM pg_class AS c
                  WHERE c.oid = 'vector_index'::regclass);
  candidates text := 'SELECT array_agg(s.seq ORDER BY i.distance), array_agg(s.vector ORDER BY i.distance)
    FROM (
      SELECT v.seq, v.vector%2$s <=> $4%2$s AS distance FROM vector_index AS v
      WHERE v.space = $1 AND v.embedder = $2 AND v.partition = ANY ($3) AND vector_dims(v.vector) = %1$s
      ORDER BY distance LIMIT %3$s) AS i
    JOIN vectors AS s ON s.space = $1 AND s.embedder = $2 AND s.seq = i.seq';
  seqs bigint[];
  stored bytea[];
BEGIN
  IF most <= 1000 AND 0.4 * visible > 3000 + 10.0 * most * held / greatest(visible, 1)
     AND to_regclass('vector_index_' || vector_dims(asked)) IS NOT NULL THEN
    -- Citus tells other servers what SET LOCAL sets, and not what set_config sets.
    SET LOCAL enable_sort = off;
    SET LOCAL hnsw.iterative_scan = strict_order;
    EXECUTE format('SET LOCAL hnsw.ef_search = %s', least(greatest(240, most * 2), 1000));
    EXECUTE format(candidates, vector_dims(asked), format('::halfvec(%s)', vector_dims(asked)), most)
      INTO seqs, stored USING given_space, given_embedder, partitions, asked;
    SET LOCAL enable_sort = on;
  END IF;
  IF seqs IS NULL OR cardinality(seqs) < most THEN
    EXECUTE format(candidates, vector_dims(asked), '', most)
      INTO seqs, stored USING given_space, given_embedder, partitions, asked;
  END IF;
  RETURN QUERY SELECT * FROM unnest(seqs, stored);
END $$;
