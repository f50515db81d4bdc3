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

function show(description, token) {
  const ui = window.SwaggerUIBundle({
    spec: shownOf(description),
    domNode: place,
    deepLinking: true,
    plugins: [
      linksToTags(new Set((description.tags ?? []).map(({ name }) => name))),
      resolving,
      padlocks,
      allOperations,
    ],
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

/** What of the description a page can use, and a reader of one. */
function shownOf({ info, paths = {}, components = {}, ...rest }) {
  const schemes = Object.entries(components.securitySchemes ?? {});
  // Browsers send cookies by themselves, and let no page set them.
  const sendable = Object.fromEntries(schemes.filter(([, scheme]) => scheme.in !== "cookie"));
  const isSendable = (requirement) => Object.keys(requirement).every((name) => name in sendable);
  const operationOf = (operation) =>
    operation.security ? { ...operation, security: operation.security.filter(isSendable) } : operation;
  const { license, ...about } = info;
  return {
    ...rest,
    // Swagger UI links identifiers of licences to SPDX, which has no page for this one.
    info: license?.identifier === "NOASSERTION" ? about : info,
    // Requests go where the page came from, whatever a proxy has put in front.
    servers: [{ url: new URL("../..", location.href).pathname }],
    paths: mapValues(paths, (item) => mapValues(item, operationOf)),
    components: { ...components, securitySchemes: sendable },
  };
}

/**
 * Resolves the references of what is shown. Swagger UI's own way looks at the whole description for every part that it
 * shows, which takes seconds for one of 500 kB; ours refer to themselves alone.
 */
function resolving() {
  return {
    fn: {
      resolveSubtree: async (whole, path) => {
        const at = (keys) => keys.reduce((value, key) => value?.[key], whole);
        const found = resolved(at(path), [], at);
        const [parent, , method] = path;
        const ofPath = parent === "paths" && method ? at(path.slice(0, 2))?.parameters : undefined;
        if (ofPath === undefined || found === undefined) return { spec: found, errors: [] };
        const parameters = [...(found.parameters ?? []), ...resolved(ofPath, [], at)];
        return { spec: { ...found, parameters }, errors: [] };
      },
    },
  };
}

/** @param within the references that led here: what refers to itself keeps the reference */
function resolved(value, within, at) {
  if (Array.isArray(value)) return value.map((each) => resolved(each, within, at));
  if (typeof value !== "object" || value === null) return value;
  const { $ref, ...beside } = value;
  if (typeof $ref !== "string" || !$ref.startsWith("#/")) {
    return mapValues(value, (each) => resolved(each, within, at));
  }
  if (within.includes($ref)) return value;
  const target = at($ref.slice(2).split("/").map(unescaped));
  return {
    ...resolved(target, [...within, $ref], at),
    ...mapValues(beside, (each) => resolved(each, within, at)),
  };
}

function unescaped(token) {
  return decodeURIComponent(token).replaceAll("~1", "/").replaceAll("~0", "~");
}

function mapValues(object, change) {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));
}

/** A closed padlock is on what needs a credential, none on what goes without one. */
function padlocks({ React }) {
  const OperationSummary = (Original) => (props) => {
    const { operationProps } = props;
    const security = operationProps.get("security");
    const isOpen = security?.some((requirement) => requirement.isEmpty());
    return React.createElement(Original, {
      ...props,
      operationProps: isOpen ? operationProps.set("security", security.clear()) : operationProps,
    });
  };
  const authorizeOperationBtn = (_original, system) => (props) =>
    React.createElement(
      "button",
      {
        className: "authorization__btn",
        title: "Needs a credential",
        "aria-label": "Needs a credential: authorize",
        onClick(event) {
          event.stopPropagation();
          props.onClick?.();
        },
      },
      React.createElement(system.getComponent("LockAuthOperationIcon", true), { className: "locked" }),
    );
  return { wrapComponents: { OperationSummary, authorizeOperationBtn } };
}

/**
 * The list of operations, all of them drawn. Swagger UI's own (from 5.33 on) draws only those in view where there are many,
 * so that the browser's search misses the others.
 */
function allOperations({ React }) {
  const listed = ({ specSelectors, getComponent, ...props }) => {
    const OperationTag = getComponent("OperationTag");
    const OperationContainer = getComponent("OperationContainer", true);
    const operationOf = (tag) => (op) => {
      const { path, method, specPath } = op.toObject();
      return React.createElement(OperationContainer, {
        key: `${method} ${path}`,
        ...{ op, path, method, specPath, tag },
      });
    };
    const sectionOf = ([tag, tagObj]) =>
      React.createElement(
        OperationTag,
        { ...props, key: tag, getComponent, tag, tagObj, specUrl: specSelectors.url() },
        React.createElement(
          "div",
          { className: "operation-tag-content" },
          tagObj.get("operations").map(operationOf(tag)).toArray(),
        ),
      );
    return React.createElement(
      "div",
      null,
      specSelectors.taggedOperations().entrySeq().map(sectionOf).toArray(),
    );
  };
  return { components: { operations: listed } };
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
