import type * as Prometheus from "prom-client";
import type { FileMetrics } from "../realm/file-metrics.ts";

export function fileMetrics(
  { Counter }: Pick<typeof Prometheus, "Counter">,
  register: Prometheus.Registry,
): FileMetrics {
  const uploads = new Counter({
    name: "svc_file_uploads_total",
    help: "Uploads that came to an end: stored, refused, or failed (cut off, or the storage was unavailable).",
    labelNames: ["realm", "outcome"],
    registers: [register],
  });
  const stored = new Counter({
    name: "svc_file_stored_bytes_total",
    help: "Bytes of files that were written to the storage; those of equal files once.",
    labelNames: ["realm"],
    registers: [register],
  });
  const swept = new Counter({
    name: "svc_file_swept_bytes_total",
    help: "Bytes that were removed since no document named them.",
    labelNames: ["realm"],
    registers: [register],
  });
  return {
    uploaded: (realm, outcome) => uploads.inc({ realm, outcome }),
    stored: (realm, bytes) => stored.inc({ realm }, bytes),
    swept: (realm, bytes) => swept.inc({ realm }, bytes),
  };
}
