import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { PortalBillingDetails } from "../../../client/transport/portal-schema.gen.ts";
import { Button } from "../../components/button.tsx";
import { FormDialog } from "../../components/dialog.tsx";
import { bindForm, SelectField, TextField } from "../../components/field.tsx";
import { countryOptions } from "../../lib/countries.ts";
import { fieldErrors } from "../../lib/errors.ts";
import { call, useRead } from "../queries/api.ts";

/** The name and address on invoices. It is shown when what is above it has its height. */
export function BillingDetails({ mayChange, isShown }: { mayChange: boolean; isShown: boolean }) {
  const [isOpen, setOpen] = useState(false);
  const details = useRead("getPortalBilling");
  if (!details.data || !isShown) return null;
  const { legalName, email, address, taxIds = [] } = details.data;
  const place = address && [address.postalCode, address.city, address.state].filter(Boolean).join(" ");
  const lines = [legalName, address?.line1, address?.line2, place, address?.country, email, ...taxIds].filter(Boolean);
  return (
    <section className="card stack" aria-label="Billing details">
      <h2>Billing details</h2>
      {lines.length === 0 ? (
        <p className="muted">Invoices name your account only. Add a name and an address.</p>
      ) : (
        <address className="billing-lines">{lines.join("\n")}</address>
      )}
      {mayChange && (
        <div className="row">
          <Button onClick={() => setOpen(true)}>Change billing details</Button>
        </div>
      )}
      {isOpen && <ChangeDetails details={details.data} onClose={() => setOpen(false)} />}
    </section>
  );
}

const fields = [
  { name: "email", label: "Email for invoices", pointer: "/email" },
  { name: "line1", label: "Street and number", pointer: "/address/line1" },
  { name: "line2", label: "Second line", pointer: "/address/line2" },
  { name: "postalCode", label: "Postal code", pointer: "/address/postalCode" },
  { name: "city", label: "City", pointer: "/address/city" },
  { name: "state", label: "State or region", pointer: "/address/state" },
  { name: "taxId", label: "Tax id", pointer: "/taxIds/0" },
] as const;

type Values = Record<(typeof fields)[number]["name"] | "legalName" | "country", string>;

function valuesOf({ legalName = "", email = "", address, taxIds }: Partial<PortalBillingDetails>): Values {
  return {
    ...{ legalName, email, taxId: taxIds?.[0] ?? "", line1: address?.line1 ?? "", line2: address?.line2 ?? "" },
    ...{ postalCode: address?.postalCode ?? "", city: address?.city ?? "", state: address?.state ?? "" },
    country: address?.country ?? "",
  };
}

/** Asks for name and country before the first payment. `save` stores what was entered, before anything is bought. */
export function useBuyer(isPaid: boolean) {
  const details = useRead("getPortalBilling", { enabled: isPaid });
  const [entered, setEntered] = useState<Values>();
  const [error, setError] = useState<unknown>();
  const known = details.data;
  const isAsked = isPaid && known !== undefined && !(known.legalName && known.address?.country && !entered);
  const values = entered ?? valuesOf(known ?? {});
  return {
    fields: isAsked && (
      <BuyerFields
        values={values}
        onChange={setEntered}
        error={error}
        isRequired={known.isRequired}
        isOpen={known.isRequired}
      />
    ),
    save: async () => {
      if (!entered) return;
      setError(undefined);
      await call("updatePortalBilling", { body: bodyOf(entered, known?.taxIds?.slice(1) ?? []) }).catch((failed) => {
        setError(failed);
        throw failed;
      });
    },
  };
}

interface BuyerFieldsProps {
  values: Values;
  onChange: (values: Values) => void;
  error: unknown;
  isRequired: boolean;
  /** Whether everything is shown at once. */
  isOpen: boolean;
}

function BuyerFields({ values, onChange, error, isRequired, isOpen }: BuyerFieldsProps) {
  const { field } = bindForm(values, onChange, fieldErrors(error));
  const more = fields.map(({ name, label, pointer }) => (
    <TextField key={name} label={label} isOptional={!(isRequired && name === "line1")} {...field(name, pointer)} />
  ));
  return (
    <div className="stack">
      <TextField label="Name on invoices" isOptional={!isRequired} {...field("legalName")} />
      <SelectField
        label="Country"
        isOptional={!isRequired}
        options={[{ value: "", label: "Choose a country" }, ...countryOptions()]}
        {...field("country", "/address/country")}
      />
      {isOpen ? (
        more
      ) : (
        <details className="fold">
          <summary>Address and tax id</summary>
          <div className="stack">{more}</div>
        </details>
      )}
    </div>
  );
}

function ChangeDetails({ details, onClose }: { details: PortalBillingDetails; onClose: () => void }) {
  const { taxIds } = details;
  const [values, setValues] = useState(() => valuesOf(details));
  const save = useMutation({
    mutationFn: () => call("updatePortalBilling", { body: bodyOf(values, taxIds?.slice(1) ?? []) }),
    onSuccess: onClose,
  });
  return (
    <FormDialog title="Billing details" mutation={save} submit="Save billing details" onClose={onClose} blocksClosing>
      <p className="muted">Invoices that exist already stay as they are.</p>
      <BuyerFields values={values} onChange={setValues} error={save.error} isRequired={details.isRequired} isOpen />
    </FormDialog>
  );
}

function bodyOf({ legalName, email, taxId, line1, country, ...rest }: Values, moreTaxIds: string[]) {
  const given = (value: string) => (value.trim() === "" ? undefined : value.trim());
  const more = Object.fromEntries(
    Object.entries(rest).flatMap(([name, value]) => (given(value) ? [[name, given(value)]] : [])),
  );
  const hasAddress = [line1, country, ...Object.values(rest)].some((value) => given(value) !== undefined);
  const taxIds = [given(taxId), ...moreTaxIds].filter((id) => id !== undefined);
  return {
    legalName: given(legalName) ?? null,
    email: given(email) ?? null,
    address: hasAddress ? { ...(given(line1) && { line1: line1.trim() }), country, ...more } : null,
    taxIds: taxIds.length === 0 ? null : taxIds,
  };
}
