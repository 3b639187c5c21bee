import { TextField } from "../../../components/field.tsx";
import { errorAt } from "../../../lib/errors.ts";
import type { AddressForm } from "./address.ts";

interface Props {
  address: AddressForm;
  errors: Record<string, string>;
  isOptional?: boolean;
  onChange: (address: AddressForm) => void;
}

export function AddressFields({ address, errors, isOptional = false, onChange }: Props) {
  const field = (name: keyof AddressForm) => ({
    value: address[name],
    error: errorAt(errors, `/address/${name}`),
    onChange: (event: { target: { value: string } }) => onChange({ ...address, [name]: event.target.value }),
  });
  return (
    <div className="form-grid">
      <TextField label="Address" isOptional={isOptional} placeholder="Hauptstr. 1" {...field("line1")} />
      <TextField label="Second line" isOptional {...field("line2")} />
      <TextField label="Postal code" isOptional {...field("postalCode")} />
      <TextField label="City" isOptional {...field("city")} />
      <TextField label="State" isOptional {...field("state")} />
      <TextField
        label="Country"
        isOptional={isOptional}
        isMono
        placeholder="DE"
        hint="Two letters of ISO 3166."
        {...field("country")}
      />
    </div>
  );
}
