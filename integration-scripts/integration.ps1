# ripple's OSC 633 integration for PowerShell 7, evaluated with `pwsh -NoExit -Command` in the global scope.
#
# The host calls two functions: `prompt`, and `PSConsoleHostReadLine` for each line. The latter is ours, in place of
# PSReadLine, so nothing is redrawn: it reads a line and says that the command begins. When it is called without a
# prompt before it, the host wants the rest of an incomplete command.

$Global:__rp = @{
    Prompt = $function:prompt
    Input = [IO.StreamReader]::new([Console]::OpenStandardInput(), [Text.UTF8Encoding]::new($false))
    End = ";{nonce}$([char]7)"
    Start = "$([char]27)]633;"
    Prompted = $false
    Ran = $false
    Error = $null
}

function Global:prompt {
    # The first thing, before anything changes it.
    $ok = $?
    $native = $Global:LASTEXITCODE
    $text = ''
    if ($Global:__rp.Ran) {
        # A failed command leaves an error, a failed program its exit code.
        $last = if ($Global:Error.Count) { $Global:Error[0] } else { $null }
        $code = if ($ok) { 0 } elseif (-not [object]::ReferenceEquals($last, $Global:__rp.Error) -or -not $native) { 1 } else { $native }
        $text += "$($Global:__rp.Start)D;$code$($Global:__rp.End)"
    }
    $Global:__rp.Ran = $false
    $Global:__rp.Error = if ($Global:Error.Count) { $Global:Error[0] } else { $null }
    if ($PWD.Provider.Name -eq 'FileSystem') {
        $path = $PWD.ProviderPath -replace '\\', '\\' -replace ';', '\x3b'
        $path = [regex]::Replace($path, '[\x00-\x1f\x7f]', { param($c) '\x{0:x2}' -f [int]$c.Value[0] })
        $text += "$($Global:__rp.Start)P;Cwd=$path$($Global:__rp.End)"
    }
    $text += "$($Global:__rp.Start)A$($Global:__rp.End)"
    $own = try { [string](& $Global:__rp.Prompt) } catch { 'PS> ' }
    $Global:__rp.Prompted = $true
    $Global:LASTEXITCODE = $native
    "$text$own$($Global:__rp.Start)B$($Global:__rp.End)"
}

function Global:PSConsoleHostReadLine {
    if (-not $Global:__rp.Prompted) {
        [Console]::Write("$($Global:__rp.Start)F$($Global:__rp.End)$($Global:__rp.Start)G$($Global:__rp.End)")
    }
    $line = $Global:__rp.Input.ReadLine()
    if ($null -eq $line) { return 'exit' } # the end of the input
    if ($Global:__rp.Prompted) {
        $Global:__rp.Prompted = $false
        $Global:__rp.Ran = $true
        [Console]::Write("$($Global:__rp.Start)C$($Global:__rp.End)")
    }
    $line
}
