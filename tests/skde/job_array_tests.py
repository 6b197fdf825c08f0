"""The scripts that compute a density in parts, by GNU parallel and by Slurm: job_array_tests.py SKDE SCRIPTS CLOUD which.

Without Slurm, a script in its place runs each job at once, one task after the other.
"""
import os
import shutil
import subprocess
import sys
import tempfile

SKDE, SCRIPTS, CLOUD, WHICH = sys.argv[1:5]
SBATCH = r"""#!/usr/bin/env bash
tasks=
while [[ $# -gt 0 ]]; do
  case $1 in
    --array) tasks=$2; shift ;;
    --wrap) wrap=$2; shift ;;
    --dependency) [[ $2 == afterok:17 ]] || exit 9; shift ;;
    --parsable) ;;
    *) shift ;;
  esac
  shift
done
for k in $(seq ${tasks/-/ }); do SLURM_ARRAY_TASK_ID=$k bash -c "$wrap" >&2 || exit 1; done
[[ -n $tasks ]] || bash -c "$wrap" >&2 || exit 1
echo 17
"""

if WHICH == "parallel" and not shutil.which("parallel"):
    print("SKIPPED: GNU parallel is not installed")
    sys.exit(0)


def run(folder, parts, output, *arguments, cloud=CLOUD):
    """Runs the script in a new folder."""
    environment = dict(os.environ, SKDE=SKDE, READ="--columns long,lat,depth --weights mag",
                       PATH=f"{folder}:{os.environ['PATH']}", TMPDIR=folder)
    return subprocess.run([os.path.join(SCRIPTS, f"density_by_{WHICH}.sh"), str(parts), output, cloud, "--", *arguments],
                          cwd=folder, env=environment, capture_output=True, text=True, check=False)


with tempfile.TemporaryDirectory(prefix="job array ") as scratch:
    with open(os.path.join(scratch, "sbatch"), "w", encoding="utf-8") as fake:
        fake.write(SBATCH)
    os.chmod(fake.name, 0o755)
    volumes = set()
    for number in (1, 3, 8):
        volume = os.path.join(scratch, f"of {number}.npy")
        done = run(scratch, number, volume, "--dims", "24", "--kernel", "biweight")
        assert done.returncode == 0, done.stderr
        with open(volume, "rb") as file:
            volumes.add(file.read())
        left = [name for name in os.listdir(scratch) if name.startswith("density_parts")]
        assert not left, left
    assert len(volumes) == 1, "the volume depends on the number of parts"
    failed = run(scratch, 3, os.path.join(scratch, "none.npy"), cloud="none.csv")
    assert failed.returncode != 0 and "none.csv" in failed.stderr, failed.stderr
    assert not os.path.exists(os.path.join(scratch, "none.npy"))
