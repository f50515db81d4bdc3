import type * as Prometheus from "prom-client";
import type { FileMetrics, Standing } from "../realm/file-metrics.ts";

type Library = Pick<typeof Prometheus, "Counter" | "Gauge">;

/** Answers how the files of a realm are measured. */
export function fileMetrics(
  { Counter, Gauge }: Library,
  register: Prometheus.Registry,
): (realm: string) => FileMetrics {
  const counter = <L extends string>(name: string, help: string, labels: readonly L[]) =>
    new Counter({ name, help, labelNames: ["realm", ...labels], registers: [register] });
  const uploads = counter(
    "svc_file_uploads_total",
    "Uploads that came to an end: stored, refused, or failed (cut off, or the storage was unavailable).",
    ["outcome"],
  );
  const failures = counter(
    "svc_file_failures_total",
    "Uploads that were not stored and downloads that were not sent whole, by why: the code of an error, cut_off or internal_error.",
    ["operation", "reason"],
  );
  const downloads = counter("svc_file_downloads_total", "Files, or parts of them, that were sent.", []);
  const sent = counter("svc_file_sent_bytes_total", "Bytes of files that were sent.", []);
  const stored = counter(
    "svc_file_stored_bytes_total",
    "Bytes of files that were written to the storage; those of equal files once.",
    [],
  );
  const swept = counter(
    "svc_file_swept_bytes_total",
    "Bytes that were removed since no document named them.",
    [],
  );
  const versions = counter("svc_file_versions_total", "Versions of images: made, or failed.", ["outcome"]);
  const standing = new Map<string, { readonly driver: string; readonly read: () => Promise<Standing> }>();
  const gauge = (name: string, help: string, of: keyof Standing) => {
    const figure: Prometheus.Gauge = new Gauge({
      name,
      help,
      labelNames: ["realm", "driver"],
      registers: [register],
      async collect() {
        figure.reset();
        for (const [realm, { driver, read }] of standing) {
          // A store that is away takes no other figure with it.
          const found = await read().catch(() => undefined);
          if (found !== undefined) figure.set({ realm, driver }, found[of]);
        }
      },
    });
  };
  gauge(
    "svc_file_bytes",
    "Bytes of the files that documents name, each by its size, without versions.",
    "bytes",
  );
  gauge("svc_file_count", "Files that documents name.", "files");
  return (realm) => ({
    uploaded: (outcome) => uploads.inc({ realm, outcome }),
    failed: (operation, reason) => failures.inc({ realm, operation, reason }),
    sent(bytes) {
      downloads.inc({ realm });
      sent.inc({ realm }, bytes);
    },
    stored: (bytes) => stored.inc({ realm }, bytes),
    swept: (bytes) => swept.inc({ realm }, bytes),
    rendered: (outcome) => versions.inc({ realm, outcome }),
    standing: (driver, read) => void standing.set(realm, { driver, read }),
  });
}
