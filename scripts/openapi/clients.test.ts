/**
 * Clients that others' tools generate from the emitted documents compile, and work with the server. The tools come from the
 * registry; where that cannot be reached they are skipped.
 */
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { helpdesk } from "../../generated/helpdesk/realm.ts";
import { inventory } from "../../generated/inventory/realm.ts";
import { type Started, startRealm } from "../../runtime/instance/testing/servers.ts";
import { missingTools } from "../missing-tools.ts";
import { root } from "../workspace.ts";
import { folder, script, tool } from "./tools.ts";

const realms = ["helpdesk", "inventory"];

let server: Started;
let missing: string | undefined;
beforeAll(async () => {
  server = await startRealm([helpdesk, inventory]);
  missing = await missingTools(folder);
}, 300_000);
afterAll(() => server.stop());

describe("clients made from the OpenAPI documents", () => {
  it("openapi-typescript and hey-api generate them, and they compile strictly", { timeout: 240_000 }, async ({
    skip,
  }) => {
    skip(missing !== undefined, missing);
    for (const realm of realms) {
      const document = join(root, "generated", realm, "openapi.json");
      const types = await tool(
        "node_modules/openapi-typescript/bin/cli.js",
        document,
        "-o",
        `clients/${realm}.d.ts`,
      );
      expect(types.code, types.output).toBe(0);
      const sdk = await tool(
        "node_modules/@hey-api/openapi-ts/bin/run.js",
        ...["-i", document, "-o", `clients/${realm}`, "-c", "@hey-api/client-fetch", "--no-log-file"],
      );
      expect(sdk.code, sdk.output).toBe(0);
    }
    expect((await tool("node_modules/typescript/bin/tsc", "-p", ".")).output).toBe("");
  });

  it.for(["openapi-fetch", "hey-api"])(
    "by %s: sign up, create, list with where, patch with If-Match, delete, errors",
    async (client, { skip }) => {
      skip(missing !== undefined, missing);
      expect(await script(`scenario/${client}.ts`, server.url)).toEqual({ code: 0, output: "done\n" });
    },
  );
});
