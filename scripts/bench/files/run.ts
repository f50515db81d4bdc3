// Files: uploads and downloads against a route written by hand, and parts of large files against parts of small ones.
import { Report } from "../report.ts";
import { startGenerated, startHandwritten } from "../servers.ts";
import type { Setting } from "../setting.ts";
import { ranges } from "./ranges.ts";
import { transfers } from "./transfers.ts";
import { versions } from "./versions.ts";

export async function fileBenchmark(options: Omit<Setting, "report">): Promise<void> {
  const { place, bundle, rounds } = options;
  const setting: Setting = { ...options, report: new Report() };
  const byHand = await startHandwritten(place, "files");
  try {
    const generated = await startGenerated(bundle, place, "files");
    try {
      await transfers(setting, { byHand, generated });
      await ranges(setting, generated);
    } finally {
      await generated.stop();
    }
  } finally {
    await byHand.stop();
  }
  await versions(setting);
  setting.report.print(
    "files",
    `Medians of ${rounds} rounds, in turns; ratios above 1 are better, but of ranges.`,
  );
}
