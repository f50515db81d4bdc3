import type { Person, Received } from "../../auth/testing/accounts.ts";
import type { JsonObject } from "../../json.ts";
import type { OrganizationRecord } from "../records.ts";
import { items, type Organizations } from "./realm.ts";

type Org = Pick<OrganizationRecord, "id">;
type By = Pick<Person, "token">;

/**
 * Requests about invitations to an organization.
 * @param server whom they are sent to
 */
export function invitationRequests(server: () => Organizations) {
  function list({ id }: Org, { token }: By, query = ""): Promise<Received> {
    return server().send("GET", `/_orgs/${id}/invitations${query}`, { token });
  }
  return {
    list,
    invite({ id }: Org, { token }: By, body: JsonObject = {}): Promise<Received> {
      return server().send("POST", `/_orgs/${id}/invitations`, { token, body });
    },
    revoke({ id }: Org, { token }: By, invitation: string): Promise<Received> {
      return server().send("DELETE", `/_orgs/${id}/invitations/${invitation}`, { token });
    },
    renew({ id }: Org, { token }: By, invitation: string, what: "link" | "send" = "link"): Promise<Received> {
      return server().send("POST", `/_orgs/${id}/invitations/${invitation}/${what}`, { token });
    },
    preview({ token }: By, invitation: string): Promise<Received> {
      return server().send("POST", "/_orgs/invitations/preview", { token, body: { token: invitation } });
    },
    accept({ token }: By, invitation: string): Promise<Received> {
      return server().send("POST", "/_orgs/invitations/accept", { token, body: { token: invitation } });
    },
    /** The entry of one invitation as the list has it. */
    async entryOf(org: Org, by: By, id: unknown): Promise<JsonObject | undefined> {
      return items(await list(org, by, "?limit=100")).find((entry) => entry["id"] === id);
    },
    /** What the audit trail says of the organization. */
    async auditOf(org: Org): Promise<readonly unknown[]> {
      return (await server().auditOf(org)).map(({ action, actor, details }) => [action, actor, details]);
    },
  };
}
