// Preloaded into a measured command: at its end it writes down the processor time and memory that it used.
import { writeFileSync } from "node:fs";

process.on("exit", () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const usage = { user: userCPUTime / 1e6, system: systemCPUTime / 1e6, memory: maxRSS / 1024 };
  writeFileSync(process.env.BENCH_USAGE, JSON.stringify(usage));
});
