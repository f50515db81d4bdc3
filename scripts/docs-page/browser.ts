import { existsSync } from "node:fs";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";

const places = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** The Chromium that `CHROMIUM` names, or one that is installed; undefined where there is none. */
export const executable = process.env["CHROMIUM"] ?? places.find((path) => existsSync(path));

/** It asks nobody for anything by itself. */
export function launch(): Promise<Browser> {
  return chromium.launch({
    ...(executable !== undefined && { executablePath: executable }),
    headless: true,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--no-first-run",
    ],
  });
}

/** A page, and what its reader would rather not have happen. */
export interface Watched {
  readonly page: Page;
  /** Errors and warnings of the console, exceptions, and what the content security policy stopped. */
  readonly complaints: readonly string[];
  /** Origins that it asked. */
  readonly origins: ReadonlySet<string>;
}

export async function watchedPage(context: BrowserContext): Promise<Watched> {
  const page = await context.newPage();
  const complaints: string[] = [];
  const origins = new Set<string>();
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("request", (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol !== "data:") origins.add(origin);
  });
  await page.exposeFunction("violated", (what: string) => complaints.push(`policy: ${what}`));
  await page.addInitScript(`document.addEventListener("securitypolicyviolation", (event) => {
    window.violated(event.violatedDirective + " " + event.blockedURI + " " + event.sample);
  });`);
  return { page, complaints, origins };
}
