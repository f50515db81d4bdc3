import type { PathManners, StreamHandler } from "../realm/exchange.ts";
import type { Cors } from "./cors.ts";
import type { RouteHeaders } from "./headers.ts";

/** What one method of one path does. */
export interface Endpoint {
  /** The path's pattern, for metrics and logs: `/v1/helpdesk/support/tickets/:id`. */
  readonly pattern: string;
  /** Undefined until the realm is provisioned: 503 till then. */
  handle: StreamHandler | undefined;
  headers: RouteHeaders;
  manners: PathManners | undefined;
  /** Undefined outside realms. */
  readonly cors: Cors | undefined;
  readonly readsBody: boolean;
}
