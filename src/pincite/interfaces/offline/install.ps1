# Installs Pincite from this folder, without a network. Usage: .\install.ps1 [FOLDER] (default: .\pincite-env)
# Nothing runs before all files have been checked.
param([string]$Target = "pincite-env", [string]$Python = "python")
$ErrorActionPreference = "Stop"
$Target = $ExecutionContext.SessionState.Path.GetUnresolvedProviderPathFromPSPath($Target)
$here = $PSScriptRoot
function Fail($message) { [Console]::Error.WriteLine("error: $message; nothing was installed"); exit 1 }

$sums = [ordered]@{}
foreach ($line in Get-Content -LiteralPath (Join-Path $here "SHA256SUMS")) { $sums[$line.Substring(66)] = $line.Substring(0, 64) }
$items = Get-ChildItem -LiteralPath $here -Recurse -Force
if ($items | Where-Object { $_.Attributes -band [IO.FileAttributes]::ReparsePoint }) { Fail "there is a link among the files" }
$found = @($items | Where-Object { -not $_.PSIsContainer } | ForEach-Object { $_.FullName.Substring($here.Length + 1).Replace("\", "/") })
$listed = @($sums.Keys) + "SHA256SUMS"
if (Compare-Object $found $listed -CaseSensitive) { Fail "the files here are not those of SHA256SUMS: some are missing or were added" }
foreach ($name in $sums.Keys) {
    $digest = (Get-FileHash -Algorithm SHA256 -LiteralPath (Join-Path $here $name)).Hash.ToLower()
    if ($digest -ne $sums[$name]) { Fail "$name is not what it was when the bundle was made" }
}

if (Test-Path -LiteralPath $Target) { Fail "$Target exists already; name another folder" }
$wanted = (Get-Content -Raw -LiteralPath (Join-Path $here "manifest.json") | ConvertFrom-Json).python
$thereIs = & $Python -I -c "import sys; print('%d.%d' % sys.version_info[:2])"
if ($thereIs -ne $wanted) { Fail "this bundle is for Python $wanted, $Python is $thereIs; name another with -Python" }
function Undo($message) { Remove-Item -Recurse -Force -LiteralPath $Target -ErrorAction SilentlyContinue; Fail $message }
& $Python -I -m venv $Target
if ($LASTEXITCODE) { Undo "no environment could be made" }
$installed = Join-Path $Target "Scripts"
Set-Location -LiteralPath $here
& (Join-Path $installed "python.exe") -I -m pip --isolated --disable-pip-version-check install --quiet `
    --no-index --find-links wheels --require-hashes --no-deps -r requirements.txt
if ($LASTEXITCODE) { Undo "pip failed" }
foreach ($model in Get-ChildItem -Path "models/*.gguf" -ErrorAction SilentlyContinue) {
    & (Join-Path $installed "pincite.exe") models add $model.FullName
}
Write-Output "installed: $installed\pincite.exe"
