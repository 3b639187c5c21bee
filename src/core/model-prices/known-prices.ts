import { type ModelPrice, type RateSteps, rateSteps } from "./rates.ts";

type Matcher = string | { or: Matcher[] } | { and: Matcher[] };
/** Rates, when they apply, and the rates above a number of tokens of input. */
type PriceLine = [rates: string, when: string, ...above: [inputTokens: number, rates: string][]];

interface KnownModel {
  matcher: Matcher;
  prices: PriceLine[];
}

interface KnownProvider {
  id: string;
  pattern: RegExp;
  /** Other providers whose models it has. */
  fallbacks: string[];
  models: KnownModel[];
}

/** The currency of all known prices. */
export const knownCurrency = "USD";

const daySeconds = 86_400;

/** The prices of known models in USD, by the URL of a provider. They come with each release. */
export class KnownPrices {
  static #loading: Promise<KnownPrices> | undefined;
  static #loaded: KnownPrices | undefined;
  readonly #providers: KnownProvider[] = [];
  readonly #steps = new Map<PriceLine, ModelPrice>();

  private constructor(data: string) {
    for (const line of data.trim().split("\n"))
      if (line.startsWith("#")) continue;
      else if (line.startsWith(" ")) {
        const [matcher, ...prices] = JSON.parse(line) as [Matcher, ...PriceLine[]];
        this.#providers.at(-1)!.models.push({ matcher, prices });
      } else {
        const [id, pattern, ...fallbacks] = JSON.parse(line) as [string, string, ...string[]];
        this.#providers.push({ id, pattern: new RegExp(`^(?:${pattern})`), fallbacks, models: [] });
      }
  }

  /** Loads them once: most installations serve no models. */
  static load(): Promise<KnownPrices> {
    KnownPrices.#loading ??= import("./known-prices.txt", { with: { type: "text" } }).then((data) => {
      KnownPrices.#loaded = new KnownPrices(data.default);
      return KnownPrices.#loaded;
    });
    return KnownPrices.#loading;
  }

  /** Undefined before they are loaded. */
  static get loaded(): KnownPrices | undefined {
    return KnownPrices.#loaded;
  }

  /** Returns the price of a model at a time. Undefined if it is not known. */
  find(url: string, model: string, time: number): ModelPrice | undefined {
    const found = this.#find(url, model);
    const line = found?.prices.findLast(([, when]) => applies(when, time)) ?? found?.prices[0];
    if (!line) return undefined;
    let price = this.#steps.get(line);
    if (!price) {
      price = { ...parsed(line), currency: knownCurrency, tiers: new Map(), tools: new Map() };
      this.#steps.set(line, price);
    }
    return price;
  }

  /** Whether a model has a price at any time. */
  has(url: string, model: string): boolean {
    return (this.#find(url, model)?.prices.length ?? 0) > 0;
  }

  /** Whether two names mean the same known model, such as a name and one with a date. */
  isSame(url: string, model: string, other: string): boolean {
    const found = this.#find(url, model);
    return found !== undefined && found === this.#find(url, other);
  }

  #find(url: string, model: string): KnownModel | undefined {
    const provider = this.#providers.find(({ pattern }) => isHostOf(pattern, url));
    if (!provider) return undefined;
    const name = model.toLowerCase().trim();
    return this.#among(provider, name) ?? this.#among(provider, withDashes(name));
  }

  #among(provider: KnownProvider, name: string): KnownModel | undefined {
    const others = provider.fallbacks.map((id) => this.#providers.find((one) => one.id === id));
    for (const one of [provider, ...others]) {
      const model = one?.models.find(({ matcher }) => matches(matcher, name));
      if (model) return model;
    }
    return undefined;
  }
}

/** Patterns may match a part of the host, or text of the path: both are other providers. */
function isHostOf(pattern: RegExp, url: string): boolean {
  const [matched] = pattern.exec(url) ?? [];
  if (matched === undefined) return false;
  const { origin, pathname } = new URL(url);
  if (pattern.test(`https://other${pathname}`)) return false;
  const rest = origin.slice(matched.length);
  return matched.endsWith(".") ? /^\w+$/.test(rest) : rest === "" || /^:\d+$/.test(rest);
}

/** Writes the date in a name as 2025-08-07. */
function withDashes(name: string): string {
  return name.replace(/-(20\d{2})(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?=-|:|$)/g, "-$1-$2-$3");
}

function matches(matcher: Matcher, name: string): boolean {
  if (typeof matcher !== "string")
    return "or" in matcher
      ? matcher.or.some((each) => matches(each, name))
      : matcher.and.every((each) => matches(each, name));
  const text = matcher.slice(1);
  switch (matcher[0]) {
    case "=":
      return name === text;
    case "^":
      return name.startsWith(text);
    case "$":
      return name.endsWith(text);
    case "*":
      return name.includes(text);
    default:
      return new RegExp(text).test(name);
  }
}

/** A date from which a price applies, or two times of day in UTC. */
function applies(when: string, time: number): boolean {
  if (when === "") return true;
  const [start, end] = when.split("/") as [string, string?];
  if (end === undefined) return time >= Date.parse(start);
  const second = (time / 1000) % daySeconds;
  const from = secondOfDay(start);
  const until = secondOfDay(end);
  return until < from ? second >= from || second < until : second >= from && second < until;
}

function secondOfDay(text: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = text.replace("Z", "").split(":").map(Number);
  return (hours * 60 + minutes) * 60 + seconds;
}

function parsed([rates, , ...above]: PriceLine): RateSteps {
  const steps = above.map(([inputTokens, texts]) => ({ inputTokens, ...rateTexts(texts) }));
  return rateSteps({ ...rateTexts(rates), above: steps });
}

/** Of the data: input, cached, cacheWrite, cacheWrite1h, output, and audioInput, audioOutput where they differ. Models for embeddings have no output. */
function rateTexts(texts: string) {
  const [input, cached, cacheWrite, cacheWrite1h, output, audioInput, audioOutput] = texts
    .split("/")
    .map((text) => text || undefined);
  return { input: input ?? "0", cached, cacheWrite, cacheWrite1h, output: output ?? "0", audioInput, audioOutput };
}
