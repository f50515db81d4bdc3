/** Tickets as they are, for who is signed in, while others write them. */
import {
  createClient,
  isApiError,
  type Live,
  type SubscriptionEnd,
  type SupportTicketsDocument,
} from "../../../generated/helpdesk/client.ts";

const client = createClient({ baseUrl: location.origin });
const form = element("sign-in", HTMLFormElement);
const desk = element("desk", HTMLElement);
const rows = element("tickets", HTMLTableSectionElement);
const refusal = element("refusal", HTMLElement);
const state = element("state", HTMLElement);
const news = element("news", HTMLElement);
let live: Live<SupportTicketsDocument> | undefined;

const words = {
  connecting: "Connecting …",
  live: "Up to date",
  behind: "Connection lost, trying again …",
  ended: "Ended",
};

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const given = new FormData(form);
  try {
    await client.$auth.logIn({ email: text(given, "email"), password: text(given, "password") });
  } catch (error) {
    refusal.textContent = isApiError(error) ? error.message : "The server does not answer.";
    return;
  }
  form.reset();
  refusal.textContent = "";
  show(true);
  live = client.support.tickets.live(
    { where: { status: { $ne: "closed" } }, order_by: ["-priority", "subject"], limit: 100 },
    {
      change(tickets, { added, updated, removed }) {
        rows.replaceChildren(...tickets.map(rowOf));
        news.textContent = `${added.length} new, ${updated.length} changed, ${removed.length} gone`;
      },
      state(now) {
        state.textContent = words[now];
      },
      ended: signOut,
    },
  );
});

element("sign-out", HTMLButtonElement).addEventListener("click", async () => {
  signOut();
  await client.$auth.logOut();
});

function signOut(end?: SubscriptionEnd): void {
  live?.close();
  rows.replaceChildren();
  show(false);
  if (end?.reason === "session_ended") refusal.textContent = "Your session has ended. Sign in again.";
  else if (end !== undefined) refusal.textContent = end.error.message;
}

function show(isSignedIn: boolean): void {
  form.hidden = isSignedIn;
  desk.hidden = !isSignedIn;
}

function rowOf({ id, subject, status, priority }: SupportTicketsDocument): HTMLTableRowElement {
  const row = document.createElement("tr");
  row.dataset["id"] = id;
  for (const value of [subject, status, priority ?? ""]) row.insertCell().textContent = String(value);
  return row;
}

function text(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === "string" ? value : "";
}

/** What index.html has by that id. */
function element<E extends HTMLElement>(id: string, type: abstract new () => E): E {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new TypeError(`index.html has no ${type.name} called ${id}`);
  return found;
}
