#!/bin/sh
# Makes what compose.yaml reads, in the folder it is called in; never touches a file that is there.
#
#   sh deploy/make-secrets.sh https://sell.example.com
#
#   .env                PUBLIC_URL, which Docker reads
#   sellthrough.env     what the service gets: its database role, SECRET_KEY, the administrator's password
#   owner.env           the role that owns the tables: for migrations and restores alone
#   postgres-password, service-password     the passwords of the two roles, for the server
set -eu
umask 077

case "${1:-}" in
  https://?*) ;;
  *) echo "usage: sh deploy/make-secrets.sh https://the-address-that-people-type" >&2; exit 2 ;;
esac

random() { openssl rand -hex "$1" | tr -d '\n'; }

make() {
  if [ -e "$1" ]; then
    echo "$1 exists already: it is left as it is." >&2
    cat > /dev/null
  else
    cat > "$1"
  fi
}

echo "PUBLIC_URL=$1" | make .env
random 24 | make postgres-password
random 24 | make service-password
make sellthrough.env <<END
DATABASE_URL=postgres://sellthrough_service:$(cat service-password)@database:5432/sellthrough
SECRET_KEY=$(random 32)
ADMIN_PASSWORD=$(random 16)
END
make owner.env <<END
DATABASE_URL=postgres://sellthrough:$(cat postgres-password)@database:5432/sellthrough
END

# The user of the image postgres must be able to read these; the first independent of the umask of the checkout.
chmod a+r "$(dirname "$0")/postgres-roles.sql"
if [ "$(id -u)" = 0 ]; then
  chown 999 postgres-password service-password
else
  echo "Now: sudo chown 999 postgres-password service-password" >&2
fi
