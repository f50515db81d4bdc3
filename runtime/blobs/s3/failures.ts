/** What the SDK and the storage say when something goes wrong, and what is worth another attempt. */
import { codeOf } from "../failures.ts";
import { BlobMissing, StorageUnavailable } from "../store.ts";

interface Told {
  readonly name: string;
  readonly message: string;
  /** HTTP status; absent where nothing was answered. */
  readonly status: number | undefined;
}

export function toldBy(error: unknown): Told {
  if (!(error instanceof Error)) return { name: "Error", message: String(error), status: undefined };
  const metadata: unknown = "$metadata" in error ? error.$metadata : undefined;
  const status =
    typeof metadata === "object" && metadata !== null && "httpStatusCode" in metadata
      ? metadata.httpStatusCode
      : undefined;
  return {
    name: error.name,
    message: error.message,
    status: typeof status === "number" ? status : undefined,
  };
}

export function isMissing(error: unknown): boolean {
  const { name, status } = toldBy(error);
  return name === "NoSuchKey" || name === "NotFound" || (status === 404 && name !== "NoSuchBucket");
}

/** The request may go well when it is sent again: the storage is busy or broken for now, or bytes were lost on the way. */
const passing = new Set([
  "BadDigest",
  "IncompleteBody",
  "RequestTimeout",
  "RequestTimeTooSkewed",
  "SlowDown",
  "TimeoutError",
  "XAmzContentSHA256Mismatch",
]);

export function isPassing(error: unknown): boolean {
  if (error instanceof BlobMissing) return false;
  const { name, status } = toldBy(error);
  if (passing.has(name)) return true;
  if (status !== undefined && status !== 200) return status >= 500 || status === 429 || status === 408;
  const code = codeOf(error);
  return code !== undefined && /^(?:ECONN|EPIPE|ETIMEDOUT|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)/.test(code);
}

/** For the log: neither keys nor signatures are in it. */
export function unreachable(bucket: string, error: unknown): StorageUnavailable {
  if (error instanceof StorageUnavailable) return error;
  const { name, message, status } = toldBy(error);
  const what = [name, codeOf(error), status].filter((each) => each !== undefined).join(" ");
  return new StorageUnavailable(`bucket ${bucket}: ${what}: ${message.split("\n", 1)[0]}`, error);
}
