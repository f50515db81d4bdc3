import type { Severity } from "./diagnostic.ts";

/** The colours of severities, as picocolors calls them. */
export const paints = { error: "red", warning: "yellow", hint: "cyan" } as const satisfies Record<
  Severity,
  string
>;
