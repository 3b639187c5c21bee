import type { ArtifactRoute } from "../../core/artifact/artifact.ts";
import { parametersIn } from "../../gateway/policies/path-template/schema.ts";
import type { Located } from "../documents/located.ts";
import type { ProjectSettings } from "./settings.ts";

const typesWithTemplates = ["rewrite", "redirect"];

/** Reports parameters in the options of a policy that do not exist in a route that uses it. */
export function checkRouteParameters(settings: ProjectSettings, routes: ArtifactRoute[]): void {
  for (const [name, { type }] of settings.policies) {
    const options = typesWithTemplates.includes(type) ? settings.definitionOf(name)?.member("options") : undefined;
    if (!options) continue;
    const used = routes.filter(({ policies }) => policies.includes(name));
    for (const text of textsIn(options))
      for (const parameter of new Set(parametersIn(String(text.value)))) {
        const without = used.find(
          ({ path }) => !parametersIn(path).includes(parameter) && !path.includes(`{${parameter}+}`),
        );
        if (without)
          text.error(`"{${parameter}}" is not a parameter of ${without.method} ${without.path}, which uses "${name}"`);
      }
  }
}

function textsIn(options: Located): Located[] {
  const query = options.member("query")?.member("set")?.members() ?? [];
  return [options.member("path"), options.member("to"), ...query].filter((text) => text !== undefined);
}
