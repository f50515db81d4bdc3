import type { StoreLocation } from "../../store/location.ts";
import { UsageError } from "../command.ts";
import { locationOf } from "../command-words.ts";
import type { Environment } from "../settings.ts";
import { type Remote, remoteOf } from "./remote.ts";

/** Where documents of realms are: a store, or a running server that has one. */
export type Place =
  | { readonly kind: "store"; readonly location: StoreLocation }
  | { readonly kind: "server"; readonly remote: Remote };

/**
 * The one that `--store` or `--url` names.
 * @throws UsageError
 */
export function placeOf(
  { store, url }: { readonly store: string | undefined; readonly url: string | undefined },
  environment: Environment,
): Place {
  if (store !== undefined && url !== undefined)
    throw new UsageError("name either --store or --url, not both");
  if (url !== undefined) return { kind: "server", remote: remoteOf(url, environment) };
  if (store === undefined) throw new UsageError("--store is missing, or --url");
  return { kind: "store", location: locationOf("--store", store, environment) };
}
