import type { Person, Received } from "../../auth/testing/accounts.ts";
import type { Factor } from "../../auth/testing/factor.ts";
import type { JsonObject } from "../../json.ts";
import type { OrganizationRecord } from "../records.ts";
import { type Organizations, outcome } from "./realm.ts";

type Org = Pick<OrganizationRecord, "id">;
type By = Pick<Person, "token">;

/** A key as it was made. */
export interface Made {
  readonly id: string;
  readonly key: string;
  readonly body: JsonObject;
}

export function madeOf(answer: Received): Made {
  const { id, key } = answer.body;
  if (typeof id !== "string" || typeof key !== "string") throw new Error(`no key: ${outcome(answer)}`);
  return { id, key, body: answer.body };
}

/**
 * Requests about the keys of an organization, with fresh proofs where these are needed.
 * @param server whom they are sent to, unless to another
 */
export function keyRequests(server: () => Organizations) {
  let made = 0;
  async function create(
    { id }: Org,
    by: By,
    body: JsonObject = {},
    { on = server(), factor }: { readonly on?: Organizations; readonly factor?: Factor } = {},
  ): Promise<Received> {
    made += 1;
    const headers = await on.proof(by, factor);
    const { token } = by;
    return on.send("POST", `/_orgs/${id}/keys`, { token, headers, body: { name: `key ${made}`, ...body } });
  }
  return {
    list({ id }: Org, { token }: By, query = ""): Promise<Received> {
      return server().send("GET", `/_orgs/${id}/keys${query}`, { token });
    },
    create,
    /** One that is made. */
    async make(...of: Parameters<typeof create>): Promise<Made> {
      return madeOf(await create(...of));
    },
    async rotate({ id }: Org, by: By, key: string, body: JsonObject = {}, on = server()): Promise<Received> {
      const headers = await on.proof(by);
      return on.send("POST", `/_orgs/${id}/keys/${key}/rotate`, { token: by.token, headers, body });
    },
    revoke({ id }: Org, { token }: By, key: string, on = server()): Promise<Received> {
      return on.send("DELETE", `/_orgs/${id}/keys/${key}`, { token });
    },
    /** Whether a key is known: it is then refused, as all keys are, what is for sessions alone. */
    async isGood(key: string, on = server()): Promise<boolean> {
      const [status, code] = outcome(await on.send("GET", "/_orgs", { token: key }));
      if (status === 403 && code === "forbidden") return true;
      if (status === 401 && code === "unauthenticated") return false;
      throw new Error(`the key is answered ${status} ${code}`);
    },
  };
}
