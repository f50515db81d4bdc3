import type { JsonObject } from "../../json.ts";
import { type Accounts, type Person, type Received, text } from "./accounts.ts";

type Server = Pick<Accounts, "send" | "reauth">;

/** A request of a session with a fresh proof of identity. */
export async function proved(
  server: Server,
  who: Person,
  method: string,
  path: string,
  body: JsonObject = {},
  more: JsonObject = {},
): Promise<Received> {
  const headers = {
    "x-svc-reauth": await server.reauth(who, "shop", { password: "correct horse", ...more }),
  };
  return server.send(method, path, { token: who.token, headers, body });
}

/** A personal token, and its id. */
export async function makeToken(
  server: Server,
  who: Person,
  body: JsonObject = {},
  more: JsonObject = {},
): Promise<{ readonly key: string; readonly id: string }> {
  const made = await proved(server, who, "POST", "/_auth/tokens", { name: "script", ...body }, more);
  if (made.status !== 201) throw new Error(`answered ${made.status} ${JSON.stringify(made.body)}`);
  return { key: text(made.body, "key"), id: text(made.body, "id") };
}
