/** The page that shows live queries as people meet it: in Chromiums without a window, two who watch while a third writes. */
import { once } from "node:events";
import type { Server } from "node:http";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Client, createClient } from "../../generated/helpdesk/client.ts";
import { helpdesk } from "../../generated/helpdesk/realm.ts";
import { createKey } from "../../runtime/auth/command-keys.ts";
import {
  type HeldClock,
  type Started,
  startRealm,
  testSettings,
} from "../../runtime/instance/testing/servers.ts";
import { problems } from "../client/compilers.ts";
import { executable, launch, type Watched, watchedPage } from "../docs-page/browser.ts";
import { addressOf, servePage } from "./serve.ts";

const reason =
  executable === undefined ? " (skipped: no Chromium is installed, and CHROMIUM names none)" : "";
const patience = 180_000;
const password = "correct horse";

it(
  "compiles for browsers",
  () => {
    expect(problems("typescript-5.9", "browser", ["scripts/live-page/page/page.ts"])).toEqual([]);
  },
  patience,
);

describe.skipIf(executable === undefined)(`The live page, in a browser${reason}`, () => {
  let browser: Browser;
  let server: Started<HeldClock>;
  let site: Server;
  let writer: Client;
  let org: string;

  beforeAll(async () => {
    // The server's clock stands still: nobody is ever let open another stream by the second.
    const limits = { ...testSettings.realtime.limits, streamsPerSecond: 1_000 };
    server = await startRealm(helpdesk, { settings: { realtime: { ...testSettings.realtime, limits } } });
    site = await servePage(server.url, 0);
    browser = await launch();
    const token = await createKey(server.store("helpdesk"), server.clock, { name: "operator", admin: true });
    const operator = createClient({ baseUrl: server.url, token });
    writer = await signedUp("writer");
    org = (await writer.$orgs.create({ name: "Engines" })).id;
    for (const name of ["writer", "ada", "grace"]) {
      const client = name === "writer" ? writer : await signedUp(name);
      await operator.$admin.putMember(org, (await client.$auth.me()).id, ["agent", "manager"]);
    }
    await writer.support.tickets.create({ subject: "Paper jam", status: "open", priority: 1 }, { org });
  }, patience);
  afterAll(async () => {
    await browser.close();
    site.closeAllConnections();
    await Promise.all([once(site, "close"), site.close()]);
    await server.stop();
  }, patience);

  async function signedUp(name: string): Promise<Client> {
    const client = createClient({ baseUrl: server.url });
    await client.$auth.signUp({ email: `${name}@example.com`, password });
    return client;
  }

  async function watching(name: string): Promise<Watched> {
    const context = await browser.newContext();
    context.setDefaultTimeout(patience);
    const watched = await watchedPage(context);
    const { page } = watched;
    await page.goto(addressOf(site));
    await page.getByLabel("E-mail").fill(`${name}@example.com`);
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("status").getByText("Up to date").waitFor();
    return watched;
  }

  /** Until the rows are these. */
  async function shows(page: Page, rows: readonly string[]): Promise<void> {
    const wanted = rows.map((row) => row.replaceAll(",", "\t"));
    await expect
      .poll(() => page.locator("#tickets tr").allInnerTexts(), { timeout: patience })
      .toEqual(wanted);
  }

  it(
    "shows two who watch what a third writes, in its order, and what became of the connection",
    async () => {
      const all = await Promise.all([watching("ada"), watching("grace")]);
      const everywhere = (...rows: readonly string[]) =>
        Promise.all(all.map(({ page }) => shows(page, rows)));
      await everywhere("Paper jam,open,1");
      const { tickets } = writer.support;
      const fire = await tickets.create({ subject: "Printer on fire", status: "open", priority: 3 }, { org });
      await everywhere("Printer on fire,open,3", "Paper jam,open,1");
      await tickets.patch(fire.id, { status: "pending", priority: null });
      await everywhere("Paper jam,open,1", "Printer on fire,pending,");

      site.closeAllConnections();
      await tickets.patch(fire.id, { priority: 4 });
      await everywhere("Printer on fire,pending,4", "Paper jam,open,1");
      for (const { page } of all) await page.getByRole("status").getByText("Up to date").waitFor();
      await tickets.patch(fire.id, { status: "closed" });
      await everywhere("Paper jam,open,1");

      const [first, second] = all;
      await first?.page.getByRole("button", { name: "Sign out" }).click();
      await first?.page.getByRole("button", { name: "Sign in" }).waitFor();
      await tickets.create({ subject: "Toner", status: "open", priority: 2 }, { org });
      if (second !== undefined) await shows(second.page, ["Toner,open,2", "Paper jam,open,1"]);
      for (const { origins } of all) expect([...origins]).toEqual([addressOf(site)]);
      // What was cut is told to the console by the browser itself.
      const complaints = all.flatMap((each) => each.complaints.filter((text) => !/net::ERR_/.test(text)));
      expect(complaints).toEqual([]);
    },
    patience,
  );

  it(
    "says why somebody is not let in",
    async () => {
      const { page } = await watchedPage(await browser.newContext());
      await page.goto(addressOf(site));
      await page.getByLabel("E-mail").fill("ada@example.com");
      await page.getByLabel("Password").fill("wrong horse");
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.getByRole("alert").getByText(/./).waitFor();
      expect(await page.getByRole("table").isVisible()).toBe(false);
    },
    patience,
  );
});
