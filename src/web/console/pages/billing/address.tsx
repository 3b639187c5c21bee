import type { Customer } from "../../../../client/index.ts";
import { bindForm, SelectField, TextField } from "../../../components/field.tsx";
import { optionsWith } from "../../../components/rows.tsx";
import { countryOptions } from "../../../lib/countries.ts";

interface Props {
  address: AddressForm;
  errors: Record<string, string>;
  isOptional?: boolean;
  onChange: (address: AddressForm) => void;
}

export function AddressFields({ address, errors, isOptional = false, onChange }: Props) {
  const { field } = bindForm(address, onChange, errors, { at: "/address" });
  return (
    <div className="form-grid">
      <TextField label="Address" isOptional={isOptional} placeholder="Hauptstr. 1" {...field("line1")} />
      <TextField label="Second line" isOptional {...field("line2")} />
      <TextField label="Postal code" isOptional {...field("postalCode")} />
      <TextField label="City" isOptional {...field("city")} />
      <TextField label="State" isOptional {...field("state")} />
      <SelectField
        label="Country"
        isOptional={isOptional}
        options={optionsWith(countryOptions(), address.country, "Choose…")}
        {...field("country")}
      />
    </div>
  );
}

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
