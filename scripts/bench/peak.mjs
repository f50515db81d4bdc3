// Says how much memory the process had at most.
process.once("exit", () =>
  process.stderr.write(`peak ${Math.round(process.resourceUsage().maxRSS / 1024)}\n`),
);
