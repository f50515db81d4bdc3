// npm start: builds the examples, serves them on the embedded store and prints how to talk to them.
import { spawn, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const realms = ["blog", "helpdesk", "inventory"];

function run(args, stdio) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: root,
    encoding: "utf8",
    stdio,
  });
  if (status === 0) return stdout;
  process.stderr.write(stderr ?? "");
  process.exit(status ?? 1);
}

run(["compiler/cli/realmc.mjs", "build", "examples", "--out", "generated", "--bundle", "dist"], "inherit");

// The key for trying has one name, so that each start replaces the one before.
const keys = realms.map((realm) => {
  const args = [
    "dist/server.mjs",
    "key",
    "create",
    "--realm",
    realm,
    "--name",
    "npm-start",
    "--admin",
    "--replace",
  ];
  const printed = run(args, "pipe");
  return { realm, key: printed.trim().split("\n").at(-1) };
});

const server = spawn(process.execPath, ["dist/server.mjs"], { cwd: root, stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => server.kill(signal));
server.on("exit", (code) => process.exit(code ?? 1));

const base = `http://${process.env.HOST ?? "127.0.0.1"}:${process.env.PORT ?? "8080"}`;
await untilReady();
const helpdesk = keys.find(({ realm }) => realm === "helpdesk")?.key;
console.log(`
Serving the examples at ${base}/v1/{blog,helpdesk,inventory}
OpenAPI documents:      ${base}/v1/helpdesk/_openapi.json (and so on)
The same, for people:   ${base}/v1/helpdesk/_docs

Administrator keys for trying (new at each start):
${keys.map(({ realm, key }) => `  ${realm.padEnd(10)}${key}`).join("\n")}

Try:
  curl -H 'Authorization: Bearer ${helpdesk}' -H 'Content-Type: application/json' \\
    -d '{"name":"Compilers & Co","email":"grace@example.com"}' ${base}/v1/helpdesk/support/customers
`);

async function untilReady() {
  for (;;) {
    const answer = await fetch(`${base}/readyz`).catch(() => undefined);
    if (answer?.status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
