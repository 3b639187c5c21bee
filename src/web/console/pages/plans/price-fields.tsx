import { bindForm, Checkbox, optionsOf, SelectField, TextArea, TextField } from "../../../components/field.tsx";
import { currencyOptions } from "./currencies.ts";
import type { TermsForm } from "./price-form.ts";

const currencies = currencyOptions();

interface Props<Form> {
  form: Form;
  errors: Record<string, string>;
  /** Currency and interval are fixed while the plan has subscriptions. */
  isFixed: boolean;
  onChange: (form: Form) => void;
}

/** The fee of a plan, and what those see who choose one. */
export function PriceFields<Form extends TermsForm>({ form: whole, errors, isFixed, onChange }: Props<Form>) {
  const form = whole.price;
  const set = (changed: TermsForm["price"]) => onChange({ ...whole, price: changed });
  const { field, checkbox } = bindForm(form, set, errors);
  const price = bindForm(form, set, errors, { at: "/price" });
  return (
    <>
      <div className="form-grid">
        <TextField
          label="Price"
          isOptional
          inputMode="decimal"
          placeholder="30.00"
          hint={
            isFixed
              ? "A new price applies to each subscription from its next period."
              : "Without one, nothing is invoiced."
          }
          {...price.field("amount")}
        />
        <SelectField
          label="Currency"
          disabled={isFixed}
          options={currencies}
          {...(isFixed ? { hint: "Fixed while the plan has subscriptions." } : {})}
          {...price.field("currency")}
        />
        <SelectField
          label="Billed"
          disabled={isFixed}
          options={optionsOf({ month: "Every month", year: "Every year" })}
          {...price.field("interval")}
        />
      </div>
      <details className="fold" open={form.description !== "" || form.features !== "" || form.isPublic}>
        <summary>What customers see</summary>
        <div className="form-grid">
          <TextField label="Description" isOptional isWide placeholder="For growing teams" {...field("description")} />
          <TextArea
            label="Features"
            isOptional
            isWide
            rows={2}
            placeholder={"sso\nsupport: by phone"}
            hint="One per line: a name, or a name and a value."
            {...field("features")}
          />
          <TextField
            label="Position"
            isOptional
            inputMode="numeric"
            hint="Lower positions come first."
            {...field("position")}
          />
          <Checkbox label="Customers can choose it in the portal" {...checkbox("isPublic")} />
        </div>
      </details>
    </>
  );
}
