import { ApiError } from "../errors.ts";
import type { Handler } from "../realm/exchange.ts";

/** `GET /healthz`: the process lives. */
export const healthz: Handler = () => ({ status: 200, body: '{"status":"ok"}' });

/**
 * `GET /readyz`: configuration loaded, provisioning done, stores reachable, not shutting down.
 *
 * @param fingerprint of the configuration; all instances of a deployment must show the same
 * @param ready false while starting and while shutting down
 * @param reachable throws when a store cannot be reached
 * @param warnings what does not keep it from serving, and somebody should look at; named in no way that helps anybody else
 */
export function readyz(
  fingerprint: string,
  ready: () => boolean,
  reachable: () => Promise<void>,
  warnings: () => Promise<readonly string[]>,
): Handler {
  const answer = { status: "ready", config: fingerprint };
  return async () => {
    if (!ready()) throw new ApiError("unavailable", "The service is starting or stopping.");
    let told: readonly string[];
    try {
      await reachable();
      told = await warnings();
    } catch (cause) {
      throw new ApiError("unavailable", "The store cannot be reached.", { cause });
    }
    return { status: 200, body: JSON.stringify({ ...answer, ...(told.length > 0 && { warnings: told }) }) };
  };
}
