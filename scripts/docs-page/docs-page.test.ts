/** `/v1/{realm}/_docs` as its readers meet it: in a Chromium without a window. */
import { once } from "node:events";
import { createServer, request as forward } from "node:http";
import type { Browser, BrowserContext, Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { blog } from "../../generated/blog/realm.ts";
import { helpdesk } from "../../generated/helpdesk/realm.ts";
import { inventory } from "../../generated/inventory/realm.ts";
import { createKey } from "../../runtime/auth/command-keys.ts";
import { type HeldClock, type Started, startRealm } from "../../runtime/instance/testing/servers.ts";
import type { RealmDefinition } from "../../runtime/realm/definition.ts";
import type { RealmModule } from "../../runtime/realm/exchange.ts";
import { Description } from "../conformance/description.ts";
import { insertSession, insertUser } from "../people.ts";
import { executable, launch, watchedPage } from "./browser.ts";

const reason =
  executable === undefined ? " (skipped: no Chromium is installed, and CHROMIUM names none)" : "";

/** Chromium takes long on a busy machine. */
const patience = { timeout: 180_000 };

let browser: Browser;
let context: BrowserContext;
let server: Started<HeldClock> | undefined;

async function serve(...modules: readonly RealmModule[]): Promise<Started<HeldClock>> {
  server = await startRealm(modules);
  return server;
}

/** The realm with another description. */
function changed(module: RealmModule, change: Partial<Shown>): RealmModule {
  const { definition } = module;
  if (definition.openapi === undefined) throw new Error(`${definition.name} shows no description`);
  return { ...module, definition: { ...definition, openapi: { ...definition.openapi, ...change } } };
}

type Shown = NonNullable<RealmDefinition["openapi"]>;

function forUsers(module: RealmModule): RealmModule {
  return changed(module, { access: "users" });
}

function describedAs(module: RealmModule, description: string): RealmModule {
  const document = {
    ...module.definition.openapi?.document,
    info: { title: "x", version: "1", description },
  };
  return changed(module, { document });
}

/** Opens the operation that the address names, for trying. */
async function opened(page: Page, url: string, link: string): Promise<Locator> {
  await page.goto(`${url}#/${link}`);
  const block = page.locator(".opblock.is-open");
  await block.getByRole("button", { name: "Try it out" }).click();
  return block;
}

async function tried(block: Locator, body: object): Promise<string | null> {
  await block.locator("textarea.body-param__text").fill(JSON.stringify(body));
  await block.getByRole("button", { name: "Execute" }).click();
  return block.locator(".live-responses-table .response-col_status").last().textContent();
}

describe.skipIf(executable === undefined)(`The page on the OpenAPI document, in a browser${reason}`, () => {
  beforeAll(async () => {
    browser = await launch();
  }, patience.timeout);
  afterAll(() => browser.close());
  beforeEach(async () => {
    context = await browser.newContext();
    context.setDefaultTimeout(patience.timeout);
  });
  afterEach(async () => {
    await context.close();
    await server?.stop();
  });

  it.each([blog, helpdesk, inventory])(
    "shows every operation of $definition.name by its tag, and complains of nothing",
    patience,
    async (module) => {
      const { name, openapi } = module.definition;
      const { url } = await serve(module);
      const { page, complaints, origins } = await watchedPage(context);
      await page.goto(`${url}/v1/${name}/_docs`);
      await page.locator(".opblock").first().waitFor();

      const { operations } = Description.of(module);
      const rows = page.locator(".opblock-summary");
      // They come tag by tag.
      await expect.poll(() => rows.count(), { timeout: patience.timeout }).toBe(operations.length);
      // Paths may break at any slash: there stands a character that takes no room.
      const shown = (
        await rows.evaluateAll((all) =>
          all.map((row) =>
            [".opblock-summary-method", ".opblock-summary-path"]
              .map((part) => row.querySelector(part)?.textContent)
              .join(" "),
          ),
        )
      ).map((row) => row.replaceAll("\u200b", ""));
      expect(shown.sort()).toEqual(operations.map(({ method, path }) => `${method} ${path}`).sort());
      const tags = await page
        .locator(".opblock-tag")
        .evaluateAll((all) => all.map((each) => each.dataset["tag"]));
      expect(openapi?.document["tags"]).toMatchObject(tags.map((tag) => ({ name: tag })));
      const unfound = await page.evaluate<readonly string[]>(`${JSON.stringify(
        operations.map(({ path }) => path),
      )}.filter((path) => {
        getSelection().removeAllRanges();
        return !window.find(path);
      })`);
      expect(unfound, "what the browser's search misses").toEqual([]);
      // A closed padlock is on what needs a credential, none on what does not.
      const locked = await page
        .locator(".opblock:has(.authorization__btn .locked) .opblock-summary-path")
        .evaluateAll((all) => all.map((each) => each.textContent?.replaceAll("\u200b", "")));
      const protectedOnes = operations.filter(
        ({ security }) => security.length > 0 && !security.includes("anonymous"),
      );
      expect(locked.sort()).toEqual(protectedOnes.map(({ path }) => path).sort());
      expect(await page.locator(".authorization__btn .unlocked").count()).toBe(0);
      expect(await page.getByText("None stated").count()).toBe(0);
      // All of them at once would take long.
      for (const section of await page.locator(".opblock-tag-section").all()) {
        const operation = section.locator(".opblock").first();
        await operation.locator(".opblock-summary-control").click();
        await operation.locator(".responses-inner").waitFor();
      }

      const schemas = Object.keys(Object(openapi?.document["components"]).schemas);
      await page.locator(".models-control").click();
      const drawn = page.locator(".models .json-schema-2020-12__title");
      await expect.poll(() => drawn.count(), { timeout: patience.timeout }).toBe(schemas.length);

      expect(await page.title()).toBe(`${name} API`);
      expect(await page.locator("html").getAttribute("lang")).toBe("en");
      expect(await page.getByRole("heading", { level: 1 }).count()).toBe(1);
      expect(complaints).toEqual([]);
      expect([...origins]).toEqual([url]);
    },
  );

  it("tries a request: a document is created in inventory", patience, async () => {
    const { url } = await serve(inventory);
    const { page, complaints, origins } = await watchedPage(context);
    const block = await opened(page, `${url}/v1/inventory/_docs`, "stock/items/createStockItemsDocument");
    const item = { sku: "BOLT-M8", name: "Bolt M8", unit: "piece", price: 0.12 };
    expect(await tried(block, item)).toContain("201");
    const list = await fetch(`${url}/v1/inventory/stock/items`);
    expect(await list.json()).toMatchObject({ items: [item] });
    expect(complaints).toEqual([]);
    expect([...origins]).toEqual([url]);
  });

  it(
    "tries requests behind a proxy that publishes the server under a path of its own",
    patience,
    async () => {
      const { url } = await serve(inventory);
      const proxy = createServer((request, response) => {
        const path = /^\/shop(\/.*)$/.exec(request.url ?? "")?.[1];
        if (path === undefined) {
          response.writeHead(404).end();
          return;
        }
        const { method, headers } = request;
        const onward = forward(url + path, { ...(method && { method }), headers }, (answer) => {
          response.writeHead(answer.statusCode ?? 502, answer.headers);
          answer.pipe(response);
        });
        request.pipe(onward);
      });
      await once(proxy.listen(0, "127.0.0.1"), "listening");
      try {
        const address = proxy.address();
        const port = typeof address === "object" ? address?.port : undefined;
        const { page, complaints } = await watchedPage(context);
        const docs = `http://127.0.0.1:${port}/shop/v1/inventory/_docs`;
        const block = await opened(page, docs, "stock/items/createStockItemsDocument");
        const item = { sku: "BOLT-M9", name: "Bolt M9", unit: "piece" };
        expect(await tried(block, item)).toContain("201");
        expect(complaints).toEqual([]);
      } finally {
        proxy.closeAllConnections();
        proxy.close();
      }
    },
  );

  it("sends a token that is pasted, and keeps it nowhere", patience, async () => {
    const { url, store, clock } = await serve(helpdesk);
    const key = await createKey(store("helpdesk"), clock, { name: "reader", admin: false });
    const { page, complaints } = await watchedPage(context);
    const docs = `${url}/v1/helpdesk/_docs`;
    const block = await opened(page, docs, "support/customers/createSupportCustomersDocument");
    await page.getByRole("button", { name: "Authorize" }).first().click();
    const dialog = page.locator(".auth-container", { hasText: "api_key" });
    await dialog.locator("input").fill(key);
    await dialog.getByRole("button", { name: "Apply credentials" }).click();
    await dialog.locator(".btn-done").click();
    expect(await tried(block, { name: "Ada", email: "ada@example.com" })).toContain("201");
    expect(complaints).toEqual([]);
    expect(await kept(page)).not.toContain(key);
  });

  it(
    "Authorize opens at its top, with what a page can send; parameters of a path are shown",
    patience,
    async () => {
      const { url } = await serve(helpdesk);
      const { page, complaints } = await watchedPage(context);
      await page.goto(`${url}/v1/helpdesk/_docs#/support/customers/getSupportCustomersDocument`);
      const block = page.locator(".opblock.is-open");
      await block.locator('tr[data-param-name="id"][data-param-in="path"]').waitFor();
      for (const button of [page.locator(".btn.authorize"), block.locator(".authorization__btn")]) {
        await button.click();
        const dialog = page.locator(".modal-ux-content");
        const schemes = await dialog.locator("h4 code").allTextContents();
        expect(schemes.sort()).toEqual(["api_key", "session"]);
        expect(await dialog.evaluate((content) => content.scrollTop)).toBe(0);
        await page.locator(".close-modal").click();
      }
      expect(complaints).toEqual([]);
    },
  );

  it(
    "openapi: users: asks for a token, and shows the description to one who has a good one",
    patience,
    async () => {
      const { url, store, clock } = await serve(forUsers(helpdesk));
      const key = await createKey(store("helpdesk"), clock, { name: "reader", admin: false });
      const { page, origins } = await watchedPage(context);
      const answer = await page.goto(`${url}/v1/helpdesk/_docs`);
      expect(answer?.status()).toBe(401);
      const field = page.getByLabel("paste the token");
      await field.fill("svk_wrong");
      await page.getByRole("button", { name: "Show" }).click();
      await page.getByRole("status").filter({ hasNotText: "Loading" }).filter({ hasText: /./ }).waitFor();
      expect(await page.locator(".opblock").count()).toBe(0);
      await field.fill(key);
      await page.getByRole("button", { name: "Show" }).click();
      await page.locator(".opblock").first().waitFor();
      // It counts for what is tried, too.
      await page.locator(".authorize.locked").waitFor();
      expect(await kept(page)).not.toContain(key);
      expect([...origins]).toEqual([url]);
    },
  );

  it("openapi: users: a session cookie is enough", patience, async () => {
    const { url, store, clock } = await serve(forUsers(helpdesk));
    await insertUser(store("helpdesk"), clock, "ada");
    const token = await insertSession(store("helpdesk"), clock, "ada", "s1");
    await context.addCookies([
      { name: "svc_session_helpdesk", value: token, url, httpOnly: true, sameSite: "Lax" },
    ]);
    const { page, complaints } = await watchedPage(context);
    await page.goto(`${url}/v1/helpdesk/_docs`);
    await page.locator(".opblock").first().waitFor();
    expect(complaints).toEqual([]);
  });

  it("runs nothing and fetches nothing that a description brings along", patience, async () => {
    const { url } = await serve(describedAs(inventory, hostile));
    const { page, complaints } = await watchedPage(context);
    await page.goto(`${url}/v1/inventory/_docs`);
    await page.getByText("Bold all the same").waitFor();
    expect(await page.evaluate("window.hacked")).toBeUndefined();
    expect(await page.locator('a[href^="javascript:"]').count()).toBe(0);
    // The picture is asked for, and the policy is what stops it.
    expect(complaints.join()).toContain("policy: img-src http://127.0.0.1:9/picture.png");
  });
});

const hostile = `<script>window.hacked = 1</script><img src="x" onerror="window.hacked = 2">
<a href="javascript:window.hacked = 3">link</a>

![picture](http://127.0.0.1:9/picture.png) **Bold all the same**`;

/** All that a page can leave behind. */
function kept(page: Page): Promise<unknown> {
  return page.evaluate("JSON.stringify([localStorage, sessionStorage, document.cookie, location.href])");
}
