import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type CreditPack, etagOf } from "../../../../client/index.ts";
import { Dialog } from "../../../components/dialog.tsx";
import { Checkbox, TextField } from "../../../components/field.tsx";
import { LoadError } from "../../../components/notice.tsx";
import { SkeletonLines } from "../../../components/skeleton.tsx";
import { toast } from "../../../components/toast.tsx";
import { fieldErrors } from "../../../lib/errors.ts";
import { bindForm } from "../../../lib/form-fields.ts";
import { useSession } from "../../queries/session.tsx";
import { EditDialog } from "../../shell/edit-dialog.tsx";
import { useCall } from "../../shell/requests.tsx";
import { PackView } from "./pack-view.tsx";

interface Props {
  bucket: string;
  onClose: () => void;
}

/** Changes what is not fixed of a credit pack: its label, whether the portal offers it, and its place there. */
export function EditPack({ bucket, id, onClose }: Props & { id: string }) {
  const { api } = useSession();
  // Items of lists have no ETag, and a cached pack may be outdated.
  const pack = useQuery({
    queryKey: ["credit-pack", bucket, id],
    queryFn: ({ signal }) => api.creditPacks(bucket).get(id, { signal }),
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  if (pack.data) return <EditForm bucket={bucket} pack={pack.data} onClose={onClose} />;
  return (
    <Dialog title="Edit credit pack" onClose={onClose}>
      {pack.error ? <LoadError error={pack.error} onRetry={() => pack.refetch()} /> : <SkeletonLines />}
    </Dialog>
  );
}

const formOf = ({ label, isPublic, position }: CreditPack) => ({ label, isPublic, position: String(position) });

function EditForm({ bucket, pack, onClose }: Props & { pack: CreditPack }) {
  const { api } = useSession();
  const [before, setBefore] = useState(pack);
  const [form, setForm] = useState(() => formOf(pack));
  const { id } = pack;
  const { label, isPublic } = form;
  const position = form.position.trim() === "" ? 0 : Number(form.position);
  const changes = { label: label.trim(), isPublic, position };
  const save = useCall({
    call: (api, base: CreditPack) => api.creditPacks(bucket).update(id, changes, { ifMatch: etagOf(base) }),
    onSuccess: (saved) => {
      toast(`Credit pack ${saved.label} saved`);
      onClose();
    },
  });
  const errors = fieldErrors(save.error);
  const { field, checkbox } = bindForm(form, setForm, errors);
  return (
    <EditDialog
      title={`Edit ${before.label}`}
      save={save}
      before={before}
      onBefore={setBefore}
      submit="Save credit pack"
      load={() => api.creditPacks(bucket).get(id)}
      fields={(theirs) => [
        { label: "Label", theirs: theirs.label, mine: changes.label },
        { label: "In the portal", theirs: theirs.isPublic, mine: isPublic },
        { label: "Position", theirs: String(theirs.position), mine: form.position },
      ]}
      onTheirs={(theirs) => setForm(formOf(theirs))}
      onClose={onClose}
    >
      <TextField label="Label" hint="What was bought keeps its label." {...field("label")} />
      <TextField label="Position" isOptional inputMode="numeric" hint="Lower ones come first." {...field("position")} />
      <Checkbox label="Customers can buy it in the portal" {...checkbox("isPublic")} />
      <PackView bucket={bucket} pack={{ ...before, label: changes.label, isPublic }} />
      <p className="muted">Price and credit cannot be changed: create another pack, and hide this one in the portal.</p>
    </EditDialog>
  );
}
