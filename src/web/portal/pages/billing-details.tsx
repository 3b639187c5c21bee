import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { PortalBillingDetails } from "../../../client/transport/portal-schema.gen.ts";
import { Button } from "../../components/button.tsx";
import { TextField } from "../../components/field.tsx";
import { FormDialog } from "../../components/form-dialog.tsx";
import { fieldErrors } from "../../lib/errors.ts";
import { bindForm } from "../../lib/form-fields.ts";
import { call } from "../queries/api.ts";

/** The name and address on invoices. It is shown when what is above it has its height. */
export function BillingDetails({ mayChange, isShown }: { mayChange: boolean; isShown: boolean }) {
  const [isOpen, setOpen] = useState(false);
  const details = useQuery({ queryKey: ["billing"], queryFn: ({ signal }) => call("getPortalBilling", { signal }) });
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
  { name: "legalName", label: "Name of the company", pointer: "/legalName" },
  { name: "email", label: "Email for invoices", pointer: "/email" },
  { name: "line1", label: "Street and number", pointer: "/address/line1" },
  { name: "line2", label: "Second line", pointer: "/address/line2" },
  { name: "postalCode", label: "Postal code", pointer: "/address/postalCode" },
  { name: "city", label: "City", pointer: "/address/city" },
  { name: "state", label: "State or region", pointer: "/address/state" },
  { name: "country", label: "Country, as two letters such as DE", pointer: "/address/country" },
  { name: "taxId", label: "Tax id", pointer: "/taxIds/0" },
] as const;

type Values = Record<(typeof fields)[number]["name"], string>;

function ChangeDetails({ details, onClose }: { details: PortalBillingDetails; onClose: () => void }) {
  const client = useQueryClient();
  const { legalName = "", email = "", address, taxIds } = details;
  const [values, setValues] = useState<Values>({
    ...{ legalName, email, taxId: taxIds?.[0] ?? "", line1: address?.line1 ?? "", line2: address?.line2 ?? "" },
    ...{ postalCode: address?.postalCode ?? "", city: address?.city ?? "", state: address?.state ?? "" },
    country: address?.country ?? "",
  });
  const save = useMutation({
    mutationFn: () => call("updatePortalBilling", { body: bodyOf(values, taxIds?.slice(1) ?? []) }),
    onSuccess: (saved) => {
      client.setQueryData(["billing"], saved);
      onClose();
    },
  });
  const { field } = bindForm(values, setValues, fieldErrors(save.error));
  return (
    <FormDialog title="Billing details" mutation={save} submit="Save billing details" onClose={onClose} blocksClosing>
      <p className="muted">Invoices that exist already stay as they are.</p>
      {fields.map(({ name, label, pointer }) => (
        <TextField key={name} label={label} isOptional {...field(name, pointer)} />
      ))}
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
    address: hasAddress ? { line1: line1.trim(), country: country.trim().toUpperCase(), ...more } : null,
    taxIds: taxIds.length === 0 ? null : taxIds,
  };
}
