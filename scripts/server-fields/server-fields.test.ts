/** Which of the server's own fields filters and orders may name, through the API of a compiled realm. */
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Started, startRealm } from "../../runtime/instance/testing/servers.ts";
import { compileRealm } from "../compiled.ts";

let server: Started;
beforeAll(async () => {
  const config = fileURLToPath(new URL("config", import.meta.url));
  server = await startRealm([await compileRealm(config, "open")]);
});
afterAll(() => server.stop());

async function answered(query: string): Promise<string> {
  const response = await fetch(`${server.url}/v1/open/main/notes?${query}`);
  const { error }: { readonly error?: { readonly code: string } } = JSON.parse(await response.text());
  return `${response.status} ${error?.code ?? ""}`.trim();
}

test.each([
  ["id", "200"],
  ["_meta.created_at", "200"],
  ["_meta.updated_at", "200"],
  ["_meta.version", "200"],
  ["_meta.deleted_at", "200"],
  ["_meta.purge_at", "200"],
  ["_meta.deleted_by", "400 invalid_query"],
  ["_meta.owner", "400 invalid_query"],
  ["_meta.created_by", "400 invalid_query"],
  ["_meta.updated_by", "400 invalid_query"],
  ["_meta.org", "400 invalid_query"],
])(
  "Queries: with auth: disabled and soft_delete, where and order_by on %s are %s",
  async (path, expected) => {
    const where = encodeURIComponent(JSON.stringify({ [path]: { $isNull: true } }));
    expect(await answered(`where=${where}`)).toBe(expected);
    expect(await answered(`order_by=${path}`)).toBe(expected);
    expect(await answered(`deleted=only&order_by=-${path}`)).toBe(expected);
  },
);
