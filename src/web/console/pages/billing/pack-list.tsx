import { Coins, Plus } from "lucide-react";
import { useState } from "react";
import { type CreditPack, etagOf } from "../../../../client/index.ts";
import { Badge } from "../../../components/badge.tsx";
import { Button } from "../../../components/button.tsx";
import { Dialog } from "../../../components/dialog.tsx";
import { Checkbox, TextField } from "../../../components/field.tsx";
import { EmptyState, NotLoaded } from "../../../components/notice.tsx";
import { actionsColumn, type Column, List, RowButton } from "../../../components/table.tsx";
import { formatDays, formatMoney, formatNumber } from "../../../lib/format.ts";
import { useRead, useSession } from "../../queries/session.tsx";
import { EditDialog, useEdit } from "../../shell/edit-dialog.tsx";
import { ConfirmCall } from "../../shell/requests.tsx";
import type { BillingView } from "./billing-view.ts";
import { formatCredits } from "./grants.tsx";
import { NewPack, PackView } from "./new-pack.tsx";
import { usePacks } from "./queries.ts";

/** The credit packs that are sold, in the order of the portal. */
export default function PackList({ bucket, search, set }: BillingView) {
  const { canBill, deniedBill } = useSession();
  const [edited, setEdited] = useState<CreditPack>();
  const [deleted, setDeleted] = useState<CreditPack>();
  const packs = usePacks(bucket);
  const create = () => set({ new: true });
  const columns: Column<CreditPack>[] = [
    {
      label: "Pack",
      isText: "wide",
      render: ({ label, warning }) => (
        <div>
          {label}
          {warning && <p className="muted">{warning}</p>}
        </div>
      ),
    },
    { label: "Price", isNumber: true, isLead: true, render: ({ price }) => formatMoney(price.amount, price.currency) },
    { label: "Customers get", isNumber: true, render: ({ grant }) => formatCredits(grant, grant.amount) },
    {
      label: "Expires",
      render: ({ grant: { expiresInDays: days } }) =>
        days === undefined ? <span className="muted">Never</span> : `${formatDays(days)} after the payment`,
    },
    {
      label: "In the portal",
      render: ({ isPublic, warning }) => (
        <span className="row">
          <Badge tone={isPublic ? "green" : "grey"}>{isPublic ? "Offered" : "Hidden"}</Badge>
          {warning && <Badge tone="amber">No such meter</Badge>}
        </span>
      ),
    },
    { label: "Position", isNumber: true, isMinor: true, render: ({ position }) => formatNumber(position) },
    {
      label: "External id",
      isMinor: true,
      render: ({ packExternalId }) => <span className="mono">{packExternalId}</span>,
    },
    actionsColumn((pack) => (
      <span className="row">
        <RowButton verb="Edit" of={pack.label} denied={deniedBill} onClick={() => setEdited(pack)} />
        <RowButton verb="Delete" of={pack.label} denied={deniedBill} onClick={() => setDeleted(pack)} />
      </span>
    )),
  ];
  return (
    <>
      <List
        caption="Credit packs"
        of={packs}
        columns={columns}
        skeletonRows={3}
        above={
          <div className="filters">
            <span className="filters-end">
              <Button icon={Plus} kind="primary" denied={deniedBill} onClick={create}>
                New credit pack
              </Button>
            </span>
          </div>
        }
        empty={
          <EmptyState
            icon={Coins}
            title="Sell credit"
            guide="billing#credit-packs"
            action={
              <Button kind="primary" denied={deniedBill} onClick={create}>
                Create your first credit pack
              </Button>
            }
          >
            A credit pack is units of a meter, or money, for a price: 1,000 requests for €10. Customers buy it in the
            portal when their plan is used up, once or by an automatic top-up.
          </EmptyState>
        }
      />
      {search.new && canBill && <NewPack bucket={bucket} onClose={() => set({ new: undefined })} />}
      {edited && <EditPack bucket={bucket} id={edited.id} onClose={() => setEdited(undefined)} />}
      {deleted && <DeletePack bucket={bucket} pack={deleted} onClose={() => setDeleted(undefined)} />}
    </>
  );
}

function DeletePack({ bucket, pack, onClose }: { bucket: string; pack: CreditPack; onClose: () => void }) {
  const { id, label, isPublic } = pack;
  return (
    <ConfirmCall
      action={`Delete ${label}`}
      call={(api) => api.creditPacks(bucket).delete(id)}
      done={`Credit pack ${label} deleted`}
      onClose={onClose}
    >
      <p>
        It can no longer be bought, in the portal or with the API. Automatic top-ups with it buy nothing any more, also
        not a new pack with the same external id. Credit that was bought stays, and can be refunded. This cannot be
        undone.
      </p>
      {isPublic && <p className="muted">To stop only sales in the portal, edit the pack and hide it there.</p>}
    </ConfirmCall>
  );
}

interface Props {
  bucket: string;
  onClose: () => void;
}

/** Changes what is not fixed of a credit pack: its label, whether the portal offers it, and its place there. */
function EditPack({ bucket, id, onClose }: Props & { id: string }) {
  // Items of lists have no ETag, and a cached pack may be outdated.
  const pack = useRead(["credit-pack", bucket, id], (api, { signal }) => api.creditPacks(bucket).get(id, { signal }), {
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  if (pack.data) return <EditForm bucket={bucket} pack={pack.data} onClose={onClose} />;
  return (
    <Dialog title="Edit credit pack" onClose={onClose}>
      <NotLoaded of={pack} />
    </Dialog>
  );
}

const formOf = ({ label, isPublic, position }: CreditPack) => ({ label, isPublic, position: String(position) });

function EditForm({ bucket, pack, onClose }: Props & { pack: CreditPack }) {
  const { form, before, dialog, field, checkbox } = useEdit({
    of: pack,
    formOf,
    load: (api) => api.creditPacks(bucket).get(pack.id),
    call: (api, base, { label, isPublic, position }) =>
      api
        .creditPacks(bucket)
        .update(pack.id, { label: label.trim(), isPublic, position: Number(position) }, { ifMatch: etagOf(base) }),
    done: (saved) => `Credit pack ${saved.label} saved`,
    onClose,
  });
  const label = form.label.trim();
  return (
    <EditDialog
      {...dialog}
      title={`Edit ${before.label}`}
      submit="Save credit pack"
      fields={(theirs) => [
        { label: "Label", theirs: theirs.label, mine: label },
        { label: "In the portal", theirs: theirs.isPublic, mine: form.isPublic },
        { label: "Position", theirs: String(theirs.position), mine: form.position },
      ]}
    >
      <TextField label="Label" hint="What was bought keeps its label." {...field("label")} />
      <TextField
        label="Position"
        isOptional
        inputMode="numeric"
        hint="Lower positions come first."
        {...field("position")}
      />
      <Checkbox label="Customers can buy it in the portal" {...checkbox("isPublic")} />
      <PackView bucket={bucket} pack={{ ...before, label, isPublic: form.isPublic }} />
      <p className="muted">Price and credit cannot be changed: create another pack, and hide this one in the portal.</p>
    </EditDialog>
  );
}
