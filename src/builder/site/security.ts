import type { OperationPage } from "../../core/artifact/site.ts";
import type { Located } from "../documents/located.ts";
import type { ApiDocument } from "../openapi/openapi.ts";

/**
 * The `security` of an operation, or of the document: alternatives, each of which is a list of schemes that are needed
 * together. Undefined if there is none, and empty if the operation says that it needs none.
 */
export function securityOf(definition: Located, api: ApiDocument): OperationPage["security"] {
  const security = definition.member("security") ?? api.root.member("security");
  if (!security || !Array.isArray(security.value)) return undefined;
  return security
    .items()
    .filter((alternative) => alternative.isObject)
    .map((alternative) =>
      alternative.members().map((requirement) => ({
        name: requirement.name,
        text: schemeText(requirement, api),
      })),
    );
}

function schemeText(requirement: Located, { root, references }: ApiDocument): string {
  const declared = root.member("components")?.member("securitySchemes")?.member(requirement.name);
  const scheme = declared && references.resolve(declared);
  const needed = requirement.items().map(({ value }) => String(value));
  const scopes = needed.length === 0 ? "" : `, with ${needed.join(", ")}`;
  const member = (name: string) => String(scheme?.member(name)?.value ?? "");
  switch (scheme?.member("type")?.value) {
    case "apiKey":
      return `a key in the ${member("in")} ${member("in") === "query" ? "parameter " : ""}${member("name")}${scopes}`;
    case "http":
      return `${/^bearer$/i.test(member("scheme")) ? "a bearer token" : `HTTP ${member("scheme")}`}${scopes}`;
    case "oauth2":
      return `OAuth 2.0${scopes}`;
    case "openIdConnect":
      return `OpenID Connect${scopes}`;
    case "mutualTLS":
      return "a client certificate";
    default:
      return requirement.name;
  }
}
