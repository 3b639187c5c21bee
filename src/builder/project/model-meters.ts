import type { ArtifactRoute } from "../../core/artifact/artifact.ts";
import type { ArtifactModels } from "../../core/artifact/models-schema.ts";
import { KnownPrices, knownCurrency } from "../../core/model-prices/known-prices.ts";
import { countsModels, type UsageOptions } from "../../gateway/policies/usage/schema.ts";
import type { Located } from "../documents/located.ts";
import type { ProjectSettings } from "./settings.ts";

/** Reports policies `usage` that cannot count on the routes that use them, and costs without a price. */
export async function checkModelMeters(settings: ProjectSettings, routes: readonly ArtifactRoute[]): Promise<void> {
  const { models } = settings;
  for (const [name, { type, options }] of settings.policies) {
    const meters = type === "usage" ? settings.definitionOf(name)?.member("options")?.member("meters") : undefined;
    // Options that are invalid have been reported.
    if (!meters || (options as UsageOptions | undefined)?.meters === undefined) continue;
    const isOfModels = countsModels(options as UsageOptions);
    const used = routes.filter(({ policies }) => policies.includes(name));
    const wrong = used.find(({ target }) => "operation" in target !== isOfModels && !("policy" in target));
    if (wrong)
      meters.keyError(
        isOfModels
          ? `"count" needs a route with the handler "models", and ${wrong.method} ${wrong.path} has another target`
          : `${wrong.method} ${wrong.path} has the handler "models": its meters need "count"`,
      );
    if (isOfModels && models) await checkMeters(meters, options as UsageOptions, models, used.length > 0);
  }
}

async function checkMeters(
  place: Located,
  { meters }: UsageOptions,
  models: ArtifactModels,
  isUsed: boolean,
): Promise<void> {
  const known = await KnownPrices.load();
  const names = Object.keys(models.aliases);
  const counted = new Set<string>();
  for (const [meter, { count, aliases }] of Object.entries(meters)) {
    const own = place.member(meter)!;
    for (const alias of own.member("aliases")?.items() ?? [])
      if (!names.includes(String(alias.value))) alias.error(`is not an alias of "models"`);
    const ofMeter = names.filter((name) => aliases?.includes(name) ?? true);
    for (const name of ofMeter) counted.add(name);
    if (count === "cost") checkPrices(own, ofMeter, models, known);
  }
  const free = names.find((name) => !counted.has(name));
  if (free !== undefined && isUsed)
    place.keyError(`no meter counts requests to "${free}": add it to the aliases of a meter`);
}

/** Every target needs a price, and all prices the same currency: amounts of one meter are added up. */
function checkPrices(place: Located, aliases: readonly string[], models: ArtifactModels, known: KnownPrices): void {
  const currencies = new Set<string>();
  for (const alias of aliases)
    for (const { provider, model, price } of models.aliases[alias]!.targets) {
      const { url } = models.providers[provider]!;
      if (typeof price === "object") currencies.add(price.currency);
      else if (price === undefined && known.has(url, model)) currencies.add(knownCurrency);
      else if (price === undefined)
        place.error(
          `counts the cost of "${alias}", whose target ${provider}/${model} has no price and is not a known model: give it a "price"`,
        );
    }
  if (currencies.size > 1)
    place.error(`counts costs in several currencies: ${[...currencies].join(" and ")}. Use a meter for each.`);
}
