/** Examples of strings whose schema has none: by the format, else by the name of the property or parameter. */

const formats: Record<string, string> = {
  "date-time": "2026-01-15T10:00:00Z",
  date: "2026-01-15",
  time: "10:00:00Z",
  duration: "P1D",
  email: "user@example.com",
  "idn-email": "user@example.com",
  hostname: "api.example.com",
  "idn-hostname": "api.example.com",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  uri: "https://example.com/",
  url: "https://example.com/",
  iri: "https://example.com/",
  "uri-reference": "/",
  uuid: "3fa85f64-5717-4562-b3fc-2c963f66afa6",
  byte: "dGV4dA==",
};

/** Examples for the words at the end of a name, the best first. A shorter one follows where codes are usual. */
const words: [names: string, ...examples: string[]][] = [
  ["email mail", formats.email!],
  ["url uri link href website homepage webhook callback", formats.url!],
  ["date day birthday", formats.date!],
  ["time timestamp datetime at on until", formats["date-time"]!],
  ["uuid guid", formats.uuid!],
  ["id", "8f14e45f", "42"],
  ["first-name given-name", "Jo"],
  ["last-name family-name surname", "Smith"],
  ["full-name display-name contact recipient sender author owner", "Jo Smith"],
  ["user-name username login nickname", "jo"],
  ["company organization organisation business company-name", "Acme Inc."],
  ["file-name filename file", "report.pdf"],
  ["name title", "Example"],
  ["city town", "Berlin"],
  ["country", "Germany", "DE"],
  ["country-code", "DE", "DEU"],
  ["street line1 address-line", "1 Main Street"],
  ["address", "1 Main Street, 10115 Berlin", "1 Main Street"],
  ["zip zip-code zipcode postcode postal-code", "10115"],
  ["phone telephone mobile phone-number", "+49 30 1234567"],
  ["currency currency-code", "EUR"],
  ["amount price total cost", "30.00"],
  ["language locale lang language-code", "en-GB", "en"],
  ["timezone time-zone tz", "Europe/Berlin"],
  ["ip ip-address", formats.ipv4!],
  ["host hostname domain", formats.hostname!],
  ["path", "/"],
  ["description summary", "A short description", "Short"],
  ["message comment note reason", "Hello"],
  ["status", "active"],
  ["color colour", "#0b6b68", "teal"],
  ["tag tags label labels", "new"],
  ["slug", "example"],
  ["sku", "SKU-1001"],
  ["number reference", "1001"],
  ["version", "1.0.0"],
  ["password", "a-long-password"],
  ["query q search", "example"],
];
const byName = new Map(words.flatMap(([names, ...examples]) => names.split(" ").map((name) => [name, examples])));

/** "customerEmail", "customer_email" and "Customer-Email" are the words customer and email. */
function wordsOf(name: string): string[] {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
}

/** Returns a text within the lengths, which are at most some thousands. */
export function exampleText({
  format,
  name = "",
  minLength = 0,
  maxLength = Number.POSITIVE_INFINITY,
}: {
  format?: unknown;
  /** Of the property or parameter. */
  name?: string | undefined;
  minLength?: number | undefined;
  maxLength?: number | undefined;
}): string {
  const last = wordsOf(name).slice(-2);
  const named = byName.get(last.join("-")) ?? byName.get(last.at(-1) ?? "") ?? [];
  const ofName = named.find(({ length }) => length >= minLength && length <= maxLength);
  const ofFormat = typeof format === "string" && Object.hasOwn(formats, format) ? formats[format] : undefined;
  const known = ofFormat ?? (format === undefined ? ofName : undefined) ?? "text";
  return known.padEnd(minLength, "text").slice(0, maxLength);
}
