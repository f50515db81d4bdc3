import { ApiError, retryAfter } from "../errors.ts";
import type { Handler } from "../realm/exchange.ts";
import { envelopeOf } from "./failures.ts";

/** `GET /healthz`: the process lives. */
export const healthz: Handler = () => ({ status: 200, body: '{"status":"ok"}' });

/** How far the migrations are that run before a realm answers: documents of the collection under way. */
export interface Migrating {
  readonly done: number;
  readonly total: number;
}

export interface Readiness {
  /** Of the configuration; all instances of a deployment must show the same. */
  readonly fingerprint: string;
  /** False while starting and while shutting down. */
  readonly ready: () => boolean;
  /** Undefined where no migration keeps the instance from being ready. */
  readonly migrating: () => Migrating | undefined;
  /** Throws when a store cannot be reached. */
  readonly reachable: () => Promise<void>;
  /** What does not keep it from serving, and somebody should look at; named in no way that helps anybody else. */
  readonly warnings: () => Promise<readonly string[]>;
}

/**
 * `GET /readyz`: configuration loaded, provisioning and migrations done, stores reachable, not shutting down. While migrations run
 * the error has `status`, `done` and `total` beside it (decision: evolution.md, Fine points 2).
 */
export function readyz({ fingerprint, ready, migrating, reachable, warnings }: Readiness): Handler {
  const answer = { status: "ready", config: fingerprint };
  return async ({ requestId }) => {
    if (!ready()) {
      const progress = migrating();
      if (progress !== undefined) return migratingAnswer(progress, requestId);
      throw new ApiError("unavailable", "The service is starting or stopping.");
    }
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

function migratingAnswer({ done, total }: Migrating, requestId: string): ReturnType<Handler> {
  const message = "Documents are being migrated.";
  const envelope = envelopeOf({ code: "unavailable", message, details: [] }, requestId);
  const body = JSON.stringify({ status: "migrating", done, total, ...envelope });
  return { status: 503, headers: retryAfter(LOOK_AGAIN), body };
}

/** Milliseconds. */
const LOOK_AGAIN = 5_000;
