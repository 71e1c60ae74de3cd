package box

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestInstallerForDistribution(t *testing.T) {
	for release, want := range map[string]string{
		"NAME=x\nID=debian\n":                          "apt-get install -y bubblewrap",
		"ID=linuxmint\nID_LIKE=\"ubuntu debian\"\n":    "apt-get install -y bubblewrap",
		"ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"": "dnf install -y bubblewrap",
		"ID=alpine\n":                "apk add bubblewrap",
		"ID='opensuse-tumbleweed'\n": "zypper install -y bubblewrap",
		"ID=manjaro\nID_LIKE=arch\n": "pacman -S --noconfirm bubblewrap",
		"ID=other\n":                 "",
		"":                           "",
	} {
		assert.Equal(t, want, installerFor(release), release)
	}
}
