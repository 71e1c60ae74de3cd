# announces prompts
function prompt { "`e]633;A`a> " }
