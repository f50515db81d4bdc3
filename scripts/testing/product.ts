/**
 * The test files that try the whole product as those do who have nothing but the package, a browser, a proxy, or a tool of others. Each
 * installs, packs or generates first, which takes them as long as all others together: `npm run test:product` runs them.
 */
export const productTests: readonly string[] = [
  "scripts/client/platforms.test.ts",
  "scripts/docs-page/docs-page.test.ts",
  "scripts/first-run/first-run.test.ts",
  "scripts/live-page/live-page.test.ts",
  "scripts/openapi/clients.test.ts",
  "scripts/openapi/linters.test.ts",
  "scripts/operating/nginx.test.ts",
  "scripts/package/options.test.ts",
  "scripts/package/package.test.ts",
];
