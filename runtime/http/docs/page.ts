import type { Asset } from "./assets.ts";

/**
 * What the page may do: run and load what this server serves, ask this server, and nothing else. Swagger UI sets styles
 * by script alone and brings its pictures as `data:`.
 */
export const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src data:",
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

/**
 * The page, at `/v1/{realm}/_docs`: its links are relative to `/v1/{realm}/`, whatever a proxy has put in front. It tells
 * nothing of the realm but its name; `docs.js` fetches the description.
 *
 * @param realm letters, digits and hyphens
 * @param asksForToken where the description is for users and the browser has no session
 */
export function pageText(realm: string, assets: readonly Asset[], asksForToken: boolean): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${realm} API</title>
<link rel="icon" href="data:,">
${assets.map(tagOf).join("\n")}
</head>
<body>
<noscript>This page is made by JavaScript, which your browser does not run. The <a href="_openapi.json">OpenAPI document</a> says the same.</noscript>
${asksForToken ? tokenForm(realm) : documentLink}
<output></output>
<main></main>
</body>
</html>
`;
}

const documentLink = `<nav><a href="_openapi.json">OpenAPI document</a></nav>`;

const tokenForm = (realm: string) => `<form>
<h1>${realm} API</h1>
<label for="token">The description is for signed-in users: paste the token of a session, or an API key. It stays in this tab.</label>
<input id="token" name="token" type="password" required autocomplete="off" spellcheck="false">
<button>Show</button>
</form>`;

/** Scripts run in their order when the page is there. */
function tagOf({ name, address }: Asset): string {
  const href = `_docs/${address}`;
  if (name.endsWith(".css")) return `<link rel="stylesheet" href="${href}">`;
  return name === "docs.js"
    ? `<script type="module" src="${href}"></script>`
    : `<script defer src="${href}"></script>`;
}
