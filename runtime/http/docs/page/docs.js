// Runs in the page: fetches the realm's OpenAPI document and has Swagger UI show it. A token that is pasted lives in the
// memory of this tab alone.

const place = document.querySelector("main");
const form = document.querySelector("form");
const status = document.querySelector("output");

if (form === null) {
  await open();
} else {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    open(form.elements.token.value.trim());
  });
}

/** @param {string} [token] of a session, or an API key */
async function open(token) {
  status.value = "Loading …";
  try {
    const description = await fetchDescription(token);
    form?.remove();
    status.value = "";
    show(description, token);
  } catch (error) {
    status.value = error.message;
  }
}

async function fetchDescription(token) {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const answer = await fetch("_openapi.json", { headers });
  const body = await answer.json();
  if (answer.ok) return body;
  throw new Error(body.error.message);
}

function show(spec, token) {
  const ui = window.SwaggerUIBundle({
    // Requests go where the page came from, whatever a proxy has put in front.
    spec: { ...spec, servers: [{ url: new URL("../..", location.href).pathname }] },
    domNode: place,
    deepLinking: true,
    plugins: [linksToTags(new Set((spec.tags ?? []).map(({ name }) => name)))],
    filter: true,
    displayRequestDuration: true,
    requestSnippetsEnabled: true,
    // Schemas by name; what they say is shown when asked for.
    defaultModelsExpandDepth: 0,
    onComplete() {
      if (token !== undefined) ui.preauthorizeApiKey(token.startsWith("svk_") ? "api_key" : "session", token);
    },
  });
}

/**
 * Links name a tag and an operation, `#/stock/items/listStockItems`; Swagger UI alone would take what is before the first
 * slash for the tag.
 */
function linksToTags(tags) {
  const named = (parts) => {
    const whole = parts.join("/");
    return tags.has(whole) ? [whole] : [parts.slice(0, -1).join("/"), parts.at(-1)];
  };
  const isShownKeyFromUrlHashArray = (original) => (_state, parts) =>
    original(parts.length > 1 ? named(parts) : parts);
  return { statePlugins: { layout: { wrapSelectors: { isShownKeyFromUrlHashArray } } } };
}
