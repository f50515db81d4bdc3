// Preloaded into a measured server: answers its parent with the processor time and memory it has used.
process.on("message", (message) => {
  // Of a server that runs with `--expose-gc`.
  if (message === "collect") globalThis.gc?.();
  if (message === "usage" || message === "collect") {
    const { user, system } = process.cpuUsage();
    process.send({ usage: { cpu: user + system, rss: process.memoryUsage.rss() } });
  }
});
process.channel?.unref();
