import type { Customer } from "../../../../client/index.ts";

type Address = NonNullable<Customer["address"]>;

const addressFields = ["line1", "line2", "postalCode", "city", "state", "country"] as const;
export type AddressForm = Record<(typeof addressFields)[number], string>;

export function addressForm(address: Partial<Address> | undefined): AddressForm {
  return Object.fromEntries(addressFields.map((name) => [name, address?.[name] ?? ""])) as AddressForm;
}

/** Undefined if nothing is filled in. */
export function addressOf(form: AddressForm): Address | undefined {
  const given = Object.entries(form).filter(([, text]) => text.trim() !== "");
  if (given.length === 0) return undefined;
  return { country: "", ...Object.fromEntries(given) };
}

export function addressLines({ line1, line2, postalCode, city, state, country }: Address): string[] {
  const place = [postalCode, city].filter(Boolean).join(" ");
  return [line1, line2, [place, state].filter(Boolean).join(", "), country].filter((line): line is string => !!line);
}
