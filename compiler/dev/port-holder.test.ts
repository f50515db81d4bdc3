import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { networkInterfaces } from "node:os";
import { describe, expect, test } from "vitest";
import { portHolder } from "./port-holder.ts";

/** Loopback addresses of this machine. */
const hosts = ["127.0.0.1", "::1"].filter((host) =>
  Object.values(networkInterfaces()).some((own) => own?.some(({ address }) => address === host)),
);

describe.runIf(process.platform === "linux")("Who listens on a port", () => {
  test.each(hosts)("is told by number and command line: on %s", async (host) => {
    const program =
      "const server = require('node:net').createServer().listen(0, process.argv[1], () => console.log(server.address().port));";
    const child = spawn(process.execPath, ["-e", program, host, "x".repeat(200)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    try {
      const [first] = await once(child.stdout, "data");
      const holder = portHolder(Number(first));
      expect(holder).toContain(`process ${child.pid} (`);
      expect(holder).toContain(`${process.execPath} -e const server`);
      expect(holder).toMatch(/…\)$/);
      expect(holder?.length).toBeLessThan(110);
    } finally {
      child.kill();
      await once(child, "close");
    }
  });

  test("is nobody where nobody listens", async () => {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    const port = typeof address === "object" ? (address?.port ?? 0) : 0;
    expect(portHolder(port)).toContain(`process ${process.pid}`);
    server.close();
    await once(server, "close");
    expect(portHolder(port)).toBeUndefined();
  });
});
