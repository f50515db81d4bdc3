/**
 * The MongoDB servers that `MONGODB_URI` names: one, or several URIs with spaces between them. Each serves one worker of the
 * tests at a time, because the test server fails where many collections are made at once.
 */
export function serverUris(environment: NodeJS.ProcessEnv = process.env): readonly string[] {
  return (environment["MONGODB_URI"] ?? "").split(/\s+/).filter((uri) => uri !== "");
}

/**
 * The server of the calling worker; undefined where `MONGODB_URI` names none.
 * @throws where there are more workers than servers: two would share one.
 */
export function workerUri(environment: NodeJS.ProcessEnv = process.env): string | undefined {
  const uris = serverUris(environment);
  if (uris.length < 2) return uris[0];
  // vitest numbers the workers that run at the same time from 1; one that takes another's place takes its number.
  const worker = Number(environment["VITEST_POOL_ID"]);
  const uri = uris[worker - 1];
  if (uri === undefined)
    throw new Error(`MONGODB_URI names ${uris.length} servers, none for worker ${worker}`);
  return uri;
}
