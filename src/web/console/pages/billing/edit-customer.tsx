import { useState } from "react";
import { type Customer, etagOf } from "../../../../client/index.ts";
import { SelectField, TextField } from "../../../components/field.tsx";
import { bindForm } from "../../../lib/form-fields.ts";
import { useSession } from "../../queries/session.tsx";
import { EditDialog } from "../../shell/edit-dialog.tsx";
import { useCall } from "../../shell/requests.tsx";
import { addressForm, addressLines, addressOf } from "./address.ts";
import { AddressFields } from "./address-fields.tsx";

const formOf = ({ email = "", legalName = "", address, taxIds = [], taxStatus = "taxable" }: Customer) => ({
  email,
  legalName,
  taxIds: taxIds.join(", "),
  taxStatus,
  address: addressForm(address),
});

type Form = ReturnType<typeof formOf>;

const taxStatuses: Record<NonNullable<Customer["taxStatus"]>, string> = {
  taxable: "Taxable",
  "reverse-charge": "Reverse charge",
  exempt: "Exempt",
};

const idsOf = (text: string): string[] => text.split(",").flatMap((id) => id.trim() || []);

function changesOf({ email, legalName, taxIds, taxStatus, address }: Form) {
  const ids = idsOf(taxIds);
  return {
    email: email || null,
    legalName: legalName || null,
    taxIds: ids.length === 0 ? null : ids,
    taxStatus,
    address: addressOf(address) ?? null,
  };
}

interface EditCustomerProps {
  bucket: string;
  customer: Customer;
  onClose: () => void;
}

/** Changes what later invoices show. A concurrent change is a conflict. */
export function EditCustomer({ bucket, customer, onClose }: EditCustomerProps) {
  const { api } = useSession();
  const [before, setBefore] = useState(customer);
  const [form, setForm] = useState(() => formOf(customer));
  const key = customer.customerKey;
  const save = useCall({
    call: (api, base: Customer) => api.customers(bucket).update(key, changesOf(form), { ifMatch: etagOf(base) }),
    done: `Customer ${key} saved`,
    onSuccess: onClose,
  });
  const { field } = bindForm(form, setForm, save.errors);
  const lines = (address: Customer["address"]) => address && addressLines(address);
  return (
    <EditDialog
      title={`Edit ${key}`}
      isWide
      save={save}
      before={before}
      onBefore={setBefore}
      submit="Save customer"
      load={() => api.customers(bucket).get(key)}
      fields={(theirs) => [
        { label: "Email", theirs: theirs.email, mine: form.email },
        { label: "Legal name", theirs: theirs.legalName, mine: form.legalName },
        { label: "Address", theirs: lines(theirs.address), mine: lines(addressOf(form.address)) },
        { label: "Tax ids", theirs: theirs.taxIds, mine: idsOf(form.taxIds) },
        { label: "Tax", theirs: taxStatuses[theirs.taxStatus ?? "taxable"], mine: taxStatuses[form.taxStatus] },
      ]}
      onTheirs={(theirs) => setForm(formOf(theirs))}
      onClose={onClose}
    >
      <p className="muted">Later invoices show this. Finalized invoices never change.</p>
      <div className="form-grid">
        <TextField label="Legal name" isOptional placeholder="Acme Ltd" {...field("legalName")} />
        <TextField
          label="Email"
          isOptional
          type="email"
          hint="Gets invoices, receipts and reminders."
          {...field("email")}
        />
      </div>
      <AddressFields
        address={form.address}
        errors={save.errors}
        isOptional
        onChange={(address) => setForm({ ...form, address })}
      />
      <div className="form-grid">
        <TextField label="Tax ids" isOptional isMono hint="Separated by commas." {...field("taxIds")} />
        <SelectField
          label="Tax"
          hint="An invoice without tax states the reason."
          options={Object.entries(taxStatuses).map(([value, label]) => ({ value, label }))}
          {...field("taxStatus")}
        />
      </div>
    </EditDialog>
  );
}
