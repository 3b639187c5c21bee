import { bindForm, SelectField, TextField } from "../../../components/field.tsx";
import { optionsWith } from "../../../components/rows.tsx";
import { countryOptions } from "../../../lib/countries.ts";
import type { AddressForm } from "./address.ts";

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
